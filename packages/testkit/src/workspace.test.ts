import { existsSync } from 'node:fs';
import { readFile, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createWorkspace } from './workspace.ts';

describe('createWorkspace', () => {
  it('has the files asked for and is gone afterwards', async () => {
    const workspace = await createWorkspace({
      files: { 'src/a.txt': 'a' },
      homeFiles: { '.gemini/settings.json': '{}' },
    });
    const written = await workspace.write('b/c.bin', new Uint8Array([0x63]));
    expect({
      a: await workspace.read('src/a.txt'),
      c: await readFile(written, 'utf8'),
      settings: await readFile(join(workspace.home, '.gemini/settings.json'), 'utf8'),
      root: await realpath(workspace.root),
    }).toEqual({ a: 'a', c: 'c', settings: '{}', root: workspace.root });
    await workspace.dispose();
    expect(existsSync(workspace.root)).toBe(false);
  });

  it('is gone at the end of its block', async () => {
    let root: string;
    {
      await using workspace = await createWorkspace();
      root = workspace.root;
      expect(existsSync(root)).toBe(true);
    }
    expect(existsSync(root)).toBe(false);
  });
});
