import { describe, expect, it } from 'vitest';
import { rowWidth } from '../text/row-width.ts';
import { toAsciiSigns } from './ascii-signs.ts';
import { hasAsciiOnly } from './has-ascii-only.ts';

describe('a terminal', () => {
  it.each([
    [{}, false],
    [{ LANG: 'C.UTF-8' }, false],
    [{ LC_CTYPE: 'UTF-8' }, false],
    [{ LANG: 'de_DE.utf8', TERM: 'xterm' }, false],
    [{ LC_ALL: 'C', LANG: 'en_US.UTF-8' }, true],
    [{ LC_ALL: '', LANG: 'POSIX' }, true],
    [{ LANG: 'de_DE.ISO-8859-1' }, true],
    [{ LANG: 'en_US.UTF-8', TERM: 'linux' }, true],
  ])('with %o has ASCII only: %s', (environment, expected) => {
    expect(hasAsciiOnly(environment)).toBe(expected);
  });
});

describe('signs in ASCII', () => {
  it('have one cell each, as those they stand for, and leave letters and escapes as they are', () => {
    const row = '\x1b[1m❯ ✓ ✗ ▸ • · └ ☐ … ⋮ ─ █ − – ⠋ ⠙ “é” ’n → ← ↑ ↓ +62 −1\x1b[22m';
    const spelled = toAsciiSigns(row);
    expect(spelled).toBe('\x1b[1m> + x * * . \' o ~ : - # - - \\ / "é" \'n > < ^ v +62 -1\x1b[22m');
    expect(rowWidth(spelled)).toBe(rowWidth(row));
  });

  it('let the spinner turn', () => {
    expect(new Set(toAsciiSigns('⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏')).size).toBeGreaterThan(2);
  });
});
