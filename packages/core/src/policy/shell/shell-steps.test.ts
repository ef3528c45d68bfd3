/** Judging a line takes work in proportion to its length: counted in words the judge reads, not in time. */

import { beforeAll, describe, expect, it } from 'vitest';
import { loadShellParser } from './shell-command.ts';
import { readShellLine } from './shell-leaves.ts';

beforeAll(loadShellParser);

/** Words over all commands found: each is read once by every check. */
function steps(line: string): number {
  const { leaves } = readShellLine(line);
  return leaves.reduce((sum, { command }) => sum + command.words.length, leaves.length);
}

describe('the work for a line of repeated wrappers', () => {
  it.each([
    ['env ', 'ls'],
    ['sudo ', 'ls'],
    ['timeout 5 ', 'ls'],
    ['nice env nohup ', 'ls'],
    ['xargs ', 'ls'],
    ['npx ', 'rm x'],
    ['find . -exec ', 'ls {} ;'],
    ['eval ', 'ls'],
    ['echo a | ', 'sh'],
    ["alias a='b'; a x; ", 'ls'],
    ['f() { g a; }; ', 'f'],
    ['x=$y; y=$x; ', 'rm -rf $x'],
  ])('doubles when the line doubles: %s…', (piece, end) => {
    const once = steps(piece.repeat(400) + end);
    const twice = steps(piece.repeat(800) + end);
    expect(once).toBeGreaterThan(0);
    expect(twice).toBeLessThanOrEqual(once * 2.2);
  });
});
