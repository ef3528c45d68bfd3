import { seededRandom } from '@castor/testkit';
import { describe, expect, it } from 'vitest';
import { snapToBoundary } from '../text/graphemes.ts';
import { createTextBuffer, getBufferText, reduceTextBuffer } from './text-buffer.ts';
import type { BufferAction, Motion, TextBuffer } from './text-buffer.ts';
import { layoutLines } from './visual-layout.ts';

/** A buffer from a text in which `|` is the caret. */
function buffer(marked: string): TextBuffer {
  const at = marked.indexOf('|');
  const before = marked.slice(0, at).split('\n');
  const caret = { row: before.length - 1, column: before.at(-1)!.length };
  return reduceTextBuffer(createTextBuffer(marked.replace('|', '')), { type: 'place', caret });
}

function marked({ lines, caret }: TextBuffer): string {
  return lines
    .map((line, row) => (row === caret.row ? `${line.slice(0, caret.column)}|${line.slice(caret.column)}` : line))
    .join('\n');
}

const FAMILY = '👨‍👩‍👧';

describe('reduceTextBuffer', () => {
  it.each<[string, string, BufferAction, string]>([
    ['inserts at the caret', 'ab|c', { type: 'insert', text: 'X' }, 'abX|c'],
    ['inserts lines', 'a|b', { type: 'insert', text: '1\r\n2\r3' }, 'a1\n2\n3|b'],
    ['puts the caret behind a mark that joins its letter', 'e|x', { type: 'insert', text: '\u0301' }, 'e\u0301|x'],
    [
      'puts the caret behind the whole when a letter joins a mark',
      '|\u0301x',
      { type: 'insert', text: 'e' },
      'e\u0301|x',
    ],
    ['makes half a surrogate pair harmless', '|', { type: 'insert', text: '\ud83d' }, '\ufffd|'],
    ['erases a joined emoji as one', `a${FAMILY}|b`, { type: 'erase', to: 'left' }, 'a|b'],
    ['erases a flag as one', '🇯🇵🇰🇷|', { type: 'erase', to: 'left' }, '🇯🇵|'],
    ['erases to the right', `|${FAMILY}b`, { type: 'erase', to: 'right' }, '|b'],
    ['joins lines when erasing at their start', 'a\n|b', { type: 'erase', to: 'left' }, 'a|b'],
    ['joins lines when erasing at their end', 'a|\nb', { type: 'erase', to: 'right' }, 'a|b'],
    ['has nothing to erase at the start', '|a', { type: 'erase', to: 'left' }, '|a'],
    ['moves over a Hangul syllable', '한|글', { type: 'move', to: 'left' }, '|한글'],
    ['moves to the line before', 'ab\n|c', { type: 'move', to: 'left' }, 'ab|\nc'],
    ['moves to the next line', 'ab|\nc', { type: 'move', to: 'right' }, 'ab\n|c'],
    ['moves by words to the left', 'one two-three|', { type: 'move', to: 'wordLeft' }, 'one two-|three'],
    ['moves by words to the right', 'one| two', { type: 'move', to: 'wordRight' }, 'one two|'],
    ['stops between scripts', '漢字|かな', { type: 'move', to: 'wordRight' }, '漢字かな|'],
    ['stops between scripts on the way back', '漢字かな|', { type: 'move', to: 'wordLeft' }, '漢字|かな'],
    ['moves to the start of the line', 'a\nbc|d', { type: 'move', to: 'lineStart' }, 'a\n|bcd'],
    ['moves to the end of the text', '|a\nb', { type: 'move', to: 'end' }, 'a\nb|'],
    ['kills to the end of the line', 'a|bc\nd', { type: 'kill', to: 'lineEnd' }, 'a|\nd'],
    ['kills the line break at the end of a line', 'a|\nd', { type: 'kill', to: 'lineEnd' }, 'a|d'],
    ['kills a word to the left', 'one two|', { type: 'kill', to: 'wordLeft' }, 'one |'],
    ['kills a word to the right', '|one two', { type: 'kill', to: 'wordRight' }, '| two'],
    ['replaces everything', 'a\nb|', { type: 'setText', text: 'x\ny' }, 'x\ny|'],
  ])('%s', (_, before, action, after) => {
    expect(marked(reduceTextBuffer(buffer(before), action))).toBe(after);
  });

  it('yanks kills that follow each other as one text, and older ones by popping', () => {
    const actions: BufferAction[] = [
      { type: 'kill', to: 'wordLeft' },
      { type: 'move', to: 'lineStart' },
      { type: 'kill', to: 'wordRight' },
      { type: 'kill', to: 'wordRight' },
      { type: 'yank' },
    ];
    const yanked = actions.reduce(reduceTextBuffer, buffer('one two three four|'));
    expect(marked(yanked)).toBe('one two| three ');
    expect(marked(reduceTextBuffer(yanked, { type: 'yankPop' }))).toBe('four| three ');
  });

  it('undoes typing a word at a time and a paste at once', () => {
    const typed = [...'one two', 'p a s t e d'].reduce(
      (state, text) => reduceTextBuffer(state, { type: 'insert', text }),
      createTextBuffer(),
    );
    const seen: string[] = [];
    for (let state = typed; state.past.length > 0;) {
      state = reduceTextBuffer(state, { type: 'undo' });
      seen.push(marked(state));
    }
    expect(seen).toEqual(['one two|', 'one |', '|']);
  });

  it('keeps the column when moving over shorter rows, in cells', () => {
    const start = buffer('漢字漢|字\nab\nabcdefgh');
    const layout = layoutLines(start.lines, { columns: 40 });
    const below = reduceTextBuffer(start, { type: 'moveRows', by: 1, layout });
    expect(marked(below)).toBe('漢字漢字\nab|\nabcdefgh');
    expect(marked(reduceTextBuffer(below, { type: 'moveRows', by: 1, layout }))).toBe('漢字漢字\nab\nabcdef|gh');
  });

  it.each(Array.from({ length: 40 }, (_, seed) => seed + 1))(
    'undoes and redoes a random script exactly, seed %i',
    (seed) => {
      const random = seededRandom(seed);
      const start = createTextBuffer('första\n漢字 🇯🇵\n');
      let state = start;
      for (let step = 0; step < 120; step++) {
        state = reduceTextBuffer(state, randomAction(random, state));
        expectSound(state);
      }
      const final = getBufferText(state);
      while (state.past.length > 0) {
        state = reduceTextBuffer(state, { type: 'undo' });
        expectSound(state);
      }
      expect(state.lines).toEqual(start.lines);
      while (state.future.length > 0) state = reduceTextBuffer(state, { type: 'redo' });
      expect(getBufferText(state)).toBe(final);
    },
  );

  it('takes a megabyte of lines, and as many lines as there are characters', () => {
    const text = '\n'.repeat(300_000) + 'x'.repeat(700_000);
    const state = reduceTextBuffer(buffer('a|b'), { type: 'insert', text });
    expect({ lines: state.lines.length, caret: state.caret }).toEqual({
      lines: 300_001,
      caret: { row: 300_000, column: 700_000 },
    });
    expect(reduceTextBuffer(state, { type: 'undo' }).lines).toEqual(['ab']);
  });
});

const TEXTS = [
  'a',
  'é',
  'e\u0301',
  '\u0301',
  FAMILY,
  '👍🏽',
  '🇯🇵',
  '🇯',
  '\ud83d',
  '한',
  'ก็',
  'क्षि',
  ' ',
  '\n',
  'a\nb\n',
  '\t',
  '\u200d',
];
const MOTIONS: Motion[] = ['left', 'right', 'wordLeft', 'wordRight', 'lineStart', 'lineEnd', 'start', 'end'];

function randomAction(random: () => number, { lines }: TextBuffer): BufferAction {
  const pick = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)]!;
  const position = () => {
    const row = Math.floor(random() * lines.length);
    return { row, column: Math.floor(random() * (lines[row]!.length + 1)) };
  };
  const [start, end] = [position(), position()].toSorted(
    (one, other) => one.row - other.row || one.column - other.column,
  );
  return pick<BufferAction>([
    { type: 'insert', text: pick(TEXTS) },
    { type: 'insert', text: pick(TEXTS) },
    { type: 'move', to: pick(MOTIONS) },
    { type: 'erase', to: pick(['left', 'right'] as const) },
    { type: 'kill', to: pick(MOTIONS) },
    { type: 'yank' },
    { type: 'yankPop' },
    { type: 'place', caret: position() },
    { type: 'replace', start: start!, end: end!, text: pick(TEXTS) },
    { type: 'moveRows', by: pick([-1, 1]), layout: layoutLines(lines, { columns: 7 }) },
  ]);
}

/** The caret lies between graphemes, and no line holds half a character or a line break. */
function expectSound({ lines, caret }: TextBuffer): void {
  const line = lines[caret.row]!;
  expect(snapToBoundary(line, caret.column)).toBe(caret.column);
  expect(lines.every((each) => each.isWellFormed() && !/[\r\n]/.test(each))).toBe(true);
}
