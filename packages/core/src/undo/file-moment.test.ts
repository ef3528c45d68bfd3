/** The moment is taken from the clock that stamps files, whatever the system's time says. */

import { lstatSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { fileMoment } from './file-moment.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'castor-moment-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

it('is never after the time of what is written next', () => {
  for (let count = 0; count < 300; count++) {
    // As if the clock of files stood still for a second.
    const moment = fileMoment(folder, Date.now() + 1000);
    const path = join(folder, `file-${count}`);
    writeFileSync(path, '');
    expect(lstatSync(path).ctimeMs).toBeGreaterThanOrEqual(moment);
    rmSync(path);
  }
  expect(readdirSync(folder)).toEqual([]);
});

it("is the system's time where no file can be written", () => {
  expect(fileMoment(join(folder, 'none'), 5)).toBe(5);
});
