/** What the words that start bubblewrap leave open: the two files, whatever the program itself inherited. */

import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { LaunchWords } from './launch-words.ts';
import { runInvocation } from './sandbox.fixture.ts';

let folder: string;
let files: { arguments: string; filter: string };
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'castor-launch-'));
  files = { arguments: join(folder, 'arguments'), filter: join(folder, 'filter') };
  writeFileSync(files.arguments, 'a');
  writeFileSync(files.filter, 'f');
});
afterAll(() => rmSync(folder, { recursive: true }));

const LOOK = 'cat <&3; cat <&4; for n in 5 6 7 8 9 10 11; do [ ! -e /proc/self/fd/$n ] || echo $n; done';
const WORDS = ['/bin/bash', '-c', LOOK];

it.each([
  ['a terminal', 2, '/bin/sh', { isTerminal: true }],
  ['descriptors up to 5', 5, '/bin/sh', {}],
  ['descriptors up to 9', 9, '/bin/sh', {}],
  ['descriptors up to 11', 11, '/bin/bash', {}],
])('passes two files and no descriptor that was inherited, with %s by a shell', (_, last, shell, how) => {
  const inherited = Array.from({ length: last - 2 }, (__, index) => index + 3);
  const { file, args } = new LaunchWords(inherited).start(WORDS, files, how);
  const { stdout, stderr } = spawnSync(file, args, {
    encoding: 'utf8',
    stdio: ['pipe', 'pipe', 'pipe', ...inherited.map(() => 'ignore' as const)],
  });
  expect({ file, stdout, stderr }).toEqual({ file: shell, stdout: 'af', stderr: '' });
});

it.each([
  ['nothing was inherited', [3], {}],
  ['what runs inside closes it', [251], { closesItself: true }],
])('passes two files without a shell, each time from their beginning, where %s', async (_, inherited, how) => {
  const started = new LaunchWords(inherited).start(WORDS, files, how);
  expect(started.file).toBe('/bin/bash');
  const invocation = { ...started, directory: folder, environment: {} };
  for (let round = 0; round < 2; round++) expect((await runInvocation(invocation)).stdout).toBe('af');
});

it('says that a file is gone, not that the program is', async () => {
  const started = new LaunchWords([]).start(WORDS, { ...files, filter: join(folder, 'gone') }, {});
  const error: unknown = await runInvocation({ ...started, directory: folder, environment: {} }).catch((e) => e);
  expect(error).toMatchObject({ message: expect.stringContaining('A file that starts the program cannot be read') });
  expect(error).not.toHaveProperty('code');
});
