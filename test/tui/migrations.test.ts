import { watch } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createWorkspace, fakeModel, startTerminal } from '@castor/testkit';
import { describe, expect, it } from 'vitest';

describe('the terminal surface', () => {
  it('brings settings files with old names up to date, their comments kept', async () => {
    const old = '{\n  // Never, please.\n  "general": { "disableAutoUpdate": true }\n}\n';
    await using workspace = await createWorkspace({ homeFiles: { '.gemini/settings.json': old } });
    const path = join(workspace.home, '.gemini', 'settings.json');
    const { promise, resolve } = Promise.withResolvers<void>();
    const look = async () => {
      if ((await readFile(path, 'utf8').catch(() => old)) !== old) resolve();
    };
    const watcher = watch(join(workspace.home, '.gemini'), () => void look());
    await using model = await fakeModel([]);
    await using terminal = await startTerminal([], { workspace, model });
    await terminal.waitForText('Type your message');
    await promise;
    watcher.close();
    const text = await readFile(path, 'utf8');
    expect(text).toContain('// Never, please.');
    expect(text.replaceAll(/\s|\/\/.*/g, '')).toBe('{"general":{"enableAutoUpdate":false}}');
  });
});
