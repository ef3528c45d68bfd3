/** Many repositories inside the workspace: the sandbox still starts, and protects all of them. Long: 2,000 of them. */

import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, inject, it } from 'vitest';
import { watchPlanted } from './planted-files.ts';
import { openTestSandbox, reasonToSkip } from './sandbox.fixture.ts';

const reason = await reasonToSkip();
/** More than are mounted. */
const COUNT = inject('isEndurance') ? 2000 : 103;

describe.skipIf(reason !== undefined)(`repositories${reason === undefined ? '' : `: skipped, ${reason}`}`, () => {
  it('are protected by a mount, or by a look after the command', async () => {
    const names = Array.from({ length: COUNT }, (_, index) => `packages/r${index}`);
    using box = await openTestSandbox();
    for (const name of names) {
      mkdirSync(join(box.root, name, '.git/hooks'), { recursive: true });
      writeFileSync(join(box.root, name, '.git/config'), '');
    }
    const takePlanted = watchPlanted(box.sandbox, [box.root]);
    const plant = names.map((name) => `echo evil > ${name}/.git/hooks/pre-commit`).join('\n');
    await box.run(`${plant}\necho fine > done`);
    const moved = takePlanted();
    expect(readFileSync(join(box.root, 'done'), 'utf8')).toBe('fine\n');
    expect(names.filter((name) => existsSync(join(box.root, name, '.git/hooks/pre-commit')))).toEqual([]);
    expect(moved.length).toBe(COUNT - 100);
  }, 600_000);
});
