import { mkdir, mkdtemp, readdir, realpath, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { holdPlace } from './search-scope.ts';

describe.runIf(process.platform === 'linux')('a place that is held', () => {
  let root: string;

  beforeEach(async () => {
    root = await realpath(await mkdtemp(join(tmpdir(), 'castor-scope-')));
    await mkdir(join(root, 'inside'));
    await mkdir(join(root, 'outside'));
    await writeFile(join(root, 'inside', 'ours'), '');
    await writeFile(join(root, 'outside', 'secret'), '');
  });

  afterEach(() => rm(root, { recursive: true, force: true }));

  async function swap(): Promise<void> {
    await rename(join(root, 'inside'), join(root, 'moved'));
    await symlink(join(root, 'outside'), join(root, 'inside'));
  }

  it('stays what it was when a link takes its name', async () => {
    await using held = await holdPlace({ real: join(root, 'inside'), named: 'inside' });
    await swap();
    expect(await readdir(held.path)).toEqual(['ours']);
  });

  it('is refused when a link has taken its name, or the name of a folder above it', async () => {
    await mkdir(join(root, 'inside', 'below'));
    await mkdir(join(root, 'outside', 'below'));
    await swap();
    const at = (real: string) => holdPlace({ real: join(root, real), named: real });
    await expect(at('inside')).rejects.toThrow(/ENOTDIR|ELOOP/);
    await expect(at('inside/below')).rejects.toThrow('The path was replaced while it was being opened: inside/below');
  });
});
