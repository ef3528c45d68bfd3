/** What the words that start bubblewrap leave open: the two files, whatever the program itself inherited. */

import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { LaunchWords } from './launch-words.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'castor-launch-'));
  writeFileSync(join(folder, 'arguments'), 'a');
  writeFileSync(join(folder, 'filter'), 'f');
});
afterAll(() => rmSync(folder, { recursive: true }));

const LOOK = 'cat <&8; cat <&9; for n in 3 4 5 6 7 10 11; do [ ! -e /proc/self/fd/$n ] || echo $n; done';

it.each([
  [2, '/bin/sh'],
  [5, '/bin/sh'],
  [9, '/bin/sh'],
  [11, '/bin/bash'],
])('passes two files and no descriptor up to %d that was inherited, by %s', (last, shell) => {
  const inherited = Array.from({ length: last - 2 }, (_, index) => index + 3);
  const { file, script } = new LaunchWords(inherited).shell(false);
  const files = [join(folder, 'arguments'), join(folder, 'filter')];
  const { stdout, stderr } = spawnSync(file, ['-c', script, 'sandbox', ...files, '/bin/bash', '-c', LOOK], {
    encoding: 'utf8',
    stdio: ['pipe', 'pipe', 'pipe', ...inherited.map(() => 'ignore' as const)],
  });
  expect({ file, stdout, stderr }).toEqual({ file: shell, stdout: 'af', stderr: '' });
});
