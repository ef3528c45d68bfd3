/** A command that uses up the computer is ended, with everything it started, and says why. */

import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openTestSandbox, reasonToSkip } from './sandbox.fixture.ts';

const reason = await reasonToSkip();
/** Doubles eight times, then each of the 256 waits. */
const BOMB = 'f() { if [ $1 -gt 0 ]; then f $(($1 - 1)) & f $(($1 - 1)); else sleep 300; fi; }; f 8; wait';

describe.skipIf(reason !== undefined)(`resources${reason === undefined ? '' : `: skipped, ${reason}`}`, () => {
  it('ends a fork bomb, and no other command', { tags: 'wide' }, async () => {
    const stopped: string[] = [];
    using box = await openTestSandbox({ limits: { processes: 120 }, onStopped: (why) => stopped.push(why) });
    const other = box.run('until [ -e bombed ]; do sleep 0.1; done; echo fine');
    const { code } = await box.run(BOMB);
    expect([code, stopped]).toEqual([137, ['The sandbox ended a command: it started more than 120 processes.']]);
    box.write(join(box.root, 'bombed'), '');
    expect((await other).stdout).toBe('fine\n');
  });

  it('ends a command that fills the disk, not one that only runs meanwhile', async () => {
    const stopped: string[] = [];
    let filled = '';
    const measureFree = () => 1e9 - (existsSync(filled) ? statSync(filled).size : 0);
    const limits = { measureFree, freeBytes: 1e9, fallenBytes: 4_000_000 };
    using box = await openTestSandbox({ limits, onStopped: (why) => stopped.push(why) });
    filled = join(box.root, 'big');
    const other = box.run('until [ -e filled ]; do sleep 0.1; done; echo fine');
    const { code } = await box.run('for i in $(seq 8); do head -c 1000000 /dev/zero >> big; done; sleep 300');
    expect([code, stopped]).toEqual([137, [expect.stringContaining('it fills the disk')]]);
    box.write(join(box.root, 'filled'), '');
    expect((await other).stdout).toBe('fine\n');
  });
});
