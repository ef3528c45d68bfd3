import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, realpath, rename, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { temporaryName } from './abandoned-files.ts';
import { writeFileAtomically } from './atomic-write.ts';

let root: string;

beforeEach(async () => {
  root = await realpath(await mkdtemp(path.join(os.tmpdir(), 'castor-abandoned-')));
});

afterEach(() => rm(root, { recursive: true, force: true }));

const at = (name: string) => path.join(root, name);

async function writeNew(name: string): Promise<void> {
  await writeFileAtomically({
    realPath: at(name),
    bytes: Buffer.from('x'),
    expected: undefined,
    isWritable: () => true,
  });
}

/** Its bytes come one by one and never end, so that it is in the middle of its write when it says so. */
const HALF_A_WRITE = `
  const { writeFileAtomically } = await import(process.argv[1]);
  async function* bytes() {
    yield Buffer.from('half');
    process.stdout.write('half');
    await new Promise((resolve) => setTimeout(resolve, 600_000));
  }
  await writeFileAtomically({ realPath: process.argv[2], bytes: bytes(), expected: undefined, isWritable: () => true });
`;

function startHalfWrite(name: string) {
  const source = new URL('./atomic-write.ts', import.meta.url).href;
  const args = ['--conditions=castor-source', '--input-type=module', '-e', HALF_A_WRITE, source, at(name)];
  return spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
}

async function killed(child: ReturnType<typeof spawn>): Promise<void> {
  const exit = once(child, 'exit');
  child.kill('SIGKILL');
  await exit;
}

describe('a temporary file', () => {
  it('that a killed process left is removed by the next write into its folder, and not before its process is dead', async () => {
    const dead = startHalfWrite('one.txt');
    await once(dead.stdout, 'data');
    await killed(dead);
    const left = await readdir(root);
    const alive = startHalfWrite('two.txt');
    await once(alive.stdout, 'data');
    const both = await readdir(root);
    await writeNew('three.txt');
    const after = await readdir(root);
    await killed(alive);
    expect({ left: left.length, both: both.length, after }).toEqual({
      left: 1,
      both: 2,
      after: [...both.filter((name) => !left.includes(name)), 'three.txt'].toSorted(),
    });
  });

  it.each([
    ['stays while the process may run in another container', 60_000, true],
    ['goes after a day, wherever it came from', 25 * 60 * 60_000, false],
  ])('%s', async (_, age, isKept) => {
    const name = temporaryName().replace(/^\.castor-[0-9a-f]{8}-\d+/, '.castor-00000000-1');
    await writeFile(at(name), 'theirs');
    const then = new Date(Date.now() - age);
    await utimes(at(name), then, then);
    await writeNew('a.txt');
    expect(await readdir(root)).toEqual(isKept ? [name, 'a.txt'] : ['a.txt']);
  });

  it('is only what we make: other names, and links with our names, are left alone', async () => {
    const child = startHalfWrite('one.txt');
    await once(child.stdout, 'data');
    await killed(child);
    const [stump = ''] = await readdir(root);
    await rename(at(stump), at('.castor-notes.tmp'));
    await symlink('.castor-notes.tmp', at(stump));
    await writeNew('a.txt');
    expect(await readdir(root)).toEqual([stump, '.castor-notes.tmp', 'a.txt'].toSorted());
  });
});
