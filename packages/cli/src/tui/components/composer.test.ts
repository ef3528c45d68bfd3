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
import type { RuleState } from './status-rule.ts';

const styles = createStyles(chooseTheme({}).theme, 'none');

/** The rows after some pieces of bytes, with `▮` where the real cursor is put. */
async function draw(
  pieces: readonly string[],
  options: Partial<ComposerOptions> & { columns?: number; maxRows?: number; rule?: Partial<RuleState> } = {},
) {
  const { columns = 30, maxRows = 10, rule, ...rest } = options;
  const composer = createComposerController({ onSubmit() {}, clock: createFakeClock(), ...rest });
  composer.setSize({ columns, maxRows });
  for (const piece of pieces) {
    composer.feed(piece);
    for (let turn = 0; turn < 4; turn++) await nextLoop();
  }
  const snapshot = composer.getSnapshot();
  const rows = composerRows(snapshot, { mode: 'default', ...rule }, styles);
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

const footer = {
  folder: '~/projects/shop',
  branch: 'main',
  model: 'gemini-3-pro',
  contextUsed: 0.12,
  isTrusted: true,
  items: ['workspace', 'git-branch', 'model-name', 'context-used'],
} as const;

describe('composerRows', () => {
  it('shows the placeholder while there is nothing', async () => {
    expect(await draw([], { columns: 50 })).toEqual([
      '──────────────────────────────────────────────────',
      '❯ ▮Type your message or @path/to/file',
    ]);
  });

  it('shows text behind its sign, wrapped', async () => {
    expect(await draw(['one two three', '\n', 'four'], { columns: 14 })).toEqual([
      '──────────────',
      '❯ one two ',
      '  three',
      '  four▮',
    ]);
  });

  it('marks shell mode and vim mode in the rule', async () => {
    expect(await draw(['!ls'])).toEqual(['── shell ─────────────────────', '! ls▮']);
    expect(await draw(['ab', '\x1b[27u', '2d'], { isVim: true })).toEqual(['── NORMAL 2d ─────────────────', '❯ a▮b']);
  });

  it('scrolls inside and tells what is hidden', async () => {
    expect(await draw(['1\n', '2\n', '3\n', '4\n', '5', '\x1b[A'], { maxRows: 4 })).toEqual([
      '── ↑ 1 ↓ 1 ───────────────────',
      '  2',
      '  3',
      '  4▮',
    ]);
  });

  it.each([
    [100, '─'.repeat(55), ' ~/projects/shop (main) · gemini-3-pro · 12 % ──'],
    [44, '─'.repeat(2), ' …/shop (main) · gemini-3-pro · 12 % ──'],
    [30, '─'.repeat(7), ' gemini-3-pro · 12 % ──'],
  ])('has the footer in its rule; at %i columns the folder shrinks, then parts go', async (columns, _line, end) => {
    const [rule] = await draw([], { columns, rule: { footer } });
    expect([rule?.length, rule?.endsWith(end)]).toEqual([columns, true]);
  });

  it('tells on the left what matters most', async () => {
    const ruleWith = async (rule: Partial<RuleState>) =>
      (await draw([], { columns: 60, rule: { footer, ...rule } }))[0];
    expect(await ruleWith({ mode: 'autoEdit' })).toMatch(/^── accepting edits ─/);
    expect(await ruleWith({ mode: 'yolo', toast: 'Press Ctrl+C again' })).toMatch(/^── Press Ctrl\+C again ─/);
  });

  it('lists suggestions above the rule, harmless, with their count and the keys', async () => {
    expect(await draw(['/h'], { completion, columns: 100 })).toEqual([
      '❯ /help   Shows what the keys and commands do, at length and with care.',
      String.raw`  /hooks  Lists \e[31mhooks.`,
      '  2 of 2 · enter runs · tab completes',
      '─'.repeat(100),
      '❯ /h▮',
    ]);
  });

  it('tells of the chosen suggestion below the names where there is one column, in as many rows for each', async () => {
    const narrow = { completion, columns: 36, maxRows: 12 };
    expect(await draw(['/h'], narrow)).toEqual([
      '❯ /help',
      '  /hooks',
      '    Shows what the keys and',
      '    commands do, at length and with',
      '    care.',
      '  2 of 2 · enter runs',
      '─'.repeat(36),
      '❯ /h▮',
    ]);
    expect(await draw(['/h', '\x1b[B'], narrow)).toHaveLength(8);
  });

  it('has no empty row between the list and its count where a row is cut', async () => {
    const rows = await draw(['/h', '\x1b[B'], { completion, columns: 56, maxRows: 12 });
    expect(rows.slice(1, 3)).toEqual([
      String.raw`❯ /hooks  Lists \e[31mhooks.`,
      '  2 of 2 · enter runs · tab completes',
    ]);
  });

  it('names the key for the rest of the chosen suggestion where there is no room for it, and the key back', async () => {
    const low = { completion, columns: 40, maxRows: 6 };
    expect((await draw(['/h'], low)).slice(-3)[0]).toBe('  2 of 2 · enter runs · → all about it');
    const wider = { completion, columns: 56, maxRows: 6 };
    const rows = await draw(['/h'], wider);
    expect(rows.slice(0, -2)).toEqual([
      '❯ /help   Shows what the keys and commands do, at leng…',
      String.raw`  /hooks  Lists \e[31mhooks.`,
      '  2 of 2 · enter runs · tab completes · → all about it',
    ]);
    expect(await draw(['/h', '\x1b[C'], wider)).toContainEqual(expect.stringMatching(/· ← the list$/));
  });

  it('shows what is searched for in the rule', async () => {
    expect(await draw(['\x12', 'fix'], { history: createInputHistory(['fix it']) })).toEqual([
      '── history: fix ──────────────',
      '❯ fix it▮',
    ]);
  });

  it('says in the rule why something could not be done', async () => {
    expect((await draw(['\x07'], { columns: 50 }))[0]).toMatch(/^── No editor can be opened here\. ─+$/);
  });
});
