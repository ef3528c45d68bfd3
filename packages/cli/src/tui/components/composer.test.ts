import { setImmediate as nextLoop } from 'node:timers/promises';
import { createFakeClock } from '@castor/testkit';
import { describe, expect, it } from 'vitest';
import { createCommandCompletion } from '../completion/command-completion.ts';
import type { ComposerOptions } from '../input/composer-contract.ts';
import { createComposerController } from '../input/composer-controller.ts';
import { composerCaret, composerHeight } from '../input/composer-view.ts';
import { createInputHistory } from '../input/input-history.ts';
import { createStyles } from '../theme/styles.ts';
import { chooseTheme } from '../theme/theme.ts';
import { composerRows } from './composer-rows.ts';

const styles = createStyles(chooseTheme({}).theme, 'none');

/** The rows after some pieces of bytes, with `▮` where the real cursor is put. */
async function draw(
  pieces: readonly string[],
  options: Partial<ComposerOptions> & { columns?: number; maxRows?: number } = {},
) {
  const { columns = 30, maxRows = 10, ...rest } = options;
  const composer = createComposerController({ onSubmit() {}, clock: createFakeClock(), ...rest });
  composer.setSize({ columns, maxRows });
  for (const piece of pieces) {
    composer.feed(piece);
    for (let turn = 0; turn < 4; turn++) await nextLoop();
  }
  const snapshot = composer.getSnapshot();
  const rows = composerRows(snapshot, styles);
  expect(rows).toHaveLength(composerHeight(snapshot));
  const { row, column } = composerCaret(snapshot);
  return rows.map((text, index) =>
    index === row ? `${text.padEnd(column).slice(0, column)}▮${text.slice(column)}` : text,
  );
}

const completion = [
  createCommandCompletion(() => [
    { name: 'help', description: 'Shows what the keys and commands do, at length and with care.' },
    { name: 'hooks', description: 'Lists \x1b[31mhooks.' },
  ]),
];

describe('composerRows', () => {
  it('shows the placeholder while there is nothing', async () => {
    expect(await draw([], { columns: 50 })).toEqual([
      '──────────────────────────────────────────────────',
      '> ▮  Type your message or @path/to/file',
    ]);
  });

  it('shows text behind its sign, wrapped', async () => {
    expect(await draw(['one two three', '\n', 'four'], { columns: 14 })).toEqual([
      '──────────────',
      '> one two ',
      '  three',
      '  four▮',
    ]);
  });

  it('marks shell mode and vim mode in the rule', async () => {
    expect(await draw(['!ls'])).toEqual(['── shell ─────────────────────', '! ls▮']);
    expect(await draw(['ab', '\x1b[27u', '2d'], { isVim: true })).toEqual(['── [NORMAL] 2d ───────────────', '> a▮b']);
  });

  it('scrolls inside and tells what is hidden', async () => {
    expect(await draw(['1\n', '2\n', '3\n', '4\n', '5', '\x1b[A'], { maxRows: 4 })).toEqual([
      '── ↑ 1 · ↓ 1 ─────────────────',
      '  2',
      '  3',
      '  4▮',
    ]);
  });

  it('lists suggestions below, short and harmless', async () => {
    expect(await draw(['/h'], { completion, columns: 100 })).toEqual([
      '─'.repeat(100),
      '> /h▮',
      '› help   Shows what the keys and commands do, at length and…',
      String.raw`  hooks  Lists \e[31mhooks.`,
      '    Shows what the keys and commands do, at length and with',
      '    care.',
    ]);
  });

  it('keeps the height of the list while one moves in it', async () => {
    expect(await draw(['/h', '\x1b[B'], { completion, columns: 100 })).toEqual([
      '─'.repeat(100),
      '> /h▮',
      '  help   Shows what the keys and commands do, at length and…',
      String.raw`› hooks  Lists \e[31mhooks.`,
      '',
      '',
    ]);
  });

  it('gives what did not fit the rows that are left, and none where there are none', async () => {
    expect(await draw(['/h'], { completion, columns: 60, maxRows: 5 })).toEqual([
      '─'.repeat(60),
      '> /h▮',
      '› help   Shows what the keys and commands do, at length an…',
      String.raw`  hooks  Lists \e[31mhooks.`,
      '    Shows what the keys and commands do, at length and wit…',
    ]);
    expect((await draw(['/h'], { completion, columns: 60, maxRows: 4 })).length).toBe(4);
  });

  it('shows the chosen suggestion whole with the right arrow, and all of them again with the left', async () => {
    const long = { completion, columns: 30, maxRows: 6 };
    const cut = [
      '─'.repeat(30),
      '> /h▮',
      '› help   Shows what the keys…',
      String.raw`  hooks  Lists \e[31mhooks.`,
      '    Shows what the keys and',
      '    commands do, at length …',
    ];
    expect(await draw(['/h'], long)).toEqual(cut);
    const whole = [
      ...cut.slice(0, 2),
      '› help  Shows what the keys …',
      '    Shows what the keys and',
      '    commands do, at length',
      '    and with care.',
    ];
    expect(await draw(['/h', '\x1b[C'], long)).toEqual(whole);
    expect(await draw(['/h', '\x1b[C', '\x1b[D'], long)).toEqual(cut);
    // Elsewhere the arrows move the caret.
    expect(await draw(['/h', '\x1b[D'], { ...long, maxRows: 10 })).toContain('> /▮h');
  });

  it('puts the cursor into the line of the search', async () => {
    expect(await draw(['\x12', 'fix'], { history: createInputHistory(['fix it']) })).toEqual([
      '──────────────────────────────',
      '> fix it',
      'search: fix▮',
    ]);
  });

  it('says in a line why something could not be done', async () => {
    expect(await draw(['\x07'], { columns: 50 })).toEqual([
      '──────────────────────────────────────────────────',
      '> ▮  Type your message or @path/to/file',
      'No editor can be opened here.',
    ]);
  });
});
