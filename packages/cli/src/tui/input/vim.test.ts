import { describe, expect, it } from 'vitest';
import { createTextBuffer, reduceTextBuffer } from './text-buffer.ts';
import type { TextBuffer } from './text-buffer.ts';
import { reduceVimKey } from './vim.ts';
import { createVimState, recordVimAction } from './vim-state.ts';
import type { VimEditor } from './vim-state.ts';
import { layoutLines } from './visual-layout.ts';

function open(marked: string): VimEditor {
  const before = marked.slice(0, marked.indexOf('|')).split('\n');
  const caret = { row: before.length - 1, column: before.at(-1)!.length };
  const buffer = reduceTextBuffer(createTextBuffer(marked.replace('|', '')), { type: 'place', caret });
  return { vim: { ...createVimState(), mode: 'NORMAL' }, buffer };
}

/** Keys one by one; `<esc>` and `<c-r>` by name; in INSERT a character is typed as the composer does it. */
function press(editor: VimEditor, keys: string): VimEditor {
  let state = editor;
  for (const [piece] of keys.matchAll(/<[^>]+>|[\s\S]/gu)) {
    const key = piece === '<esc>' ? 'escape' : piece === '<c-r>' ? 'ctrl+r' : piece;
    const layout = layoutLines(state.buffer.lines, { columns: 40 });
    const result = reduceVimKey(state, key, layout);
    state = result.isHandled ? { vim: result.vim, buffer: result.buffer } : type(state, key);
  }
  return state;
}

function type({ vim, buffer }: VimEditor, text: string): VimEditor {
  const action = { type: 'insert', text } as const;
  return { vim: recordVimAction(vim, action), buffer: reduceTextBuffer(buffer, action) };
}

function marked({ lines, caret }: TextBuffer): string {
  return lines
    .map((line, row) => (row === caret.row ? `${line.slice(0, caret.column)}|${line.slice(caret.column)}` : line))
    .join('\n');
}

describe('reduceVimKey', () => {
  it.each<[string, string, string]>([
    // Motions
    ['abc|d', 'h', 'ab|cd'],
    ['|abcd', '3l', 'abc|d'],
    ['|abcd', '9l', 'abc|d'],
    ['ab|c\nde', 'j', 'abc\nd|e'],
    ['abc\nd|e', 'k', 'a|bc\nde'],
    ['  ab|c', '0', '|  abc'],
    ['  ab|c', '^', '  |abc'],
    ['|abc', '$', 'ab|c'],
    ['|one two-three', 'w', 'one |two-three'],
    ['one |two-three', 'w', 'one two|-three'],
    ['one |two-three x', 'W', 'one two-three |x'],
    ['|one two three', '2w', 'one two |three'],
    ['on|e\n\ntwo', 'w', 'one\n|\ntwo'],
    ['one two|', 'b', 'one |two'],
    ['one two-thre|e', 'B', 'one |two-three'],
    ['|one two', 'e', 'on|e two'],
    ['on|e two', 'e', 'one tw|o'],
    ['|a-b c-d', 'E', 'a-|b c-d'],
    ['a\nb\n  c|', 'gg', '|a\nb\n  c'],
    ['|a\nb\n  c', 'G', 'a\nb\n  |c'],
    ['|a\nb\nc', '2G', 'a\n|b\nc'],
    ['|abcabc', 'fc', 'ab|cabc'],
    ['|abcabc', '2fc', 'abcab|c'],
    ['|abcabc', 'tc', 'a|bcabc'],
    ['abcab|c', 'Fa', 'abc|abc'],
    ['abcab|c', 'Ta', 'abca|bc'],
    ['|abcabcabc', 'fc;', 'abcab|cabc'],
    ['|abcabcabc', 'fc;,', 'ab|cabcabc'],
    ['|abc', 'fz', '|abc'],
    ['|漢字 かな', 'w', '漢字 |かな'],
    ['a|👨‍👩‍👧b', 'l', 'a👨‍👩‍👧|b'],
    // Operators
    ['|one two', 'dw', '|two'],
    ['one |two\nthree', 'dw', 'one| \nthree'],
    ['|one two three', 'd2w', '|three'],
    ['|a b c d e', '2d2w', '|e'],
    ['one tw|o', 'db', 'one |o'],
    ['|one two', 'de', '| two'],
    ['on|e two', 'd$', 'o|n'],
    ['on|e two', 'd0', '|e two'],
    ['|abcabc', 'dfc', '|abc'],
    ['|abcabc', 'dtc', '|cabc'],
    ['a\n|b\nc', 'dd', 'a\n|c'],
    ['a\nb\n|c', 'dd', 'a\n|b'],
    ['|a\nb\nc', '2dd', '|c'],
    ['|only', 'dd', '|'],
    ['|a\nb\nc', 'dj', '|c'],
    ['a\nb\n|c', 'dgg', '|'],
    ['|a\nb\nc', 'dG', '|'],
    ['|one two', 'cwX<esc>', '|X two'],
    ['|a two', 'cwX<esc>', '|X two'],
    ['|one two', 'ccX<esc>', '|X'],
    ['one| two', 'CX<esc>', 'one|X'],
    ['on|e two', 'D', 'o|n'],
    ['|one two', 'ywP', 'one| one two'],
    ['a|b\nc', 'yyp', 'ab\n|ab\nc'],
    ['a|b\nc', 'YP', '|ab\nab\nc'],
    ['|a\nb', 'yy2p', 'a\n|a\na\nb'],
    ['|ab', 'xp', 'b|a'],
    // Changes of one key
    ['a|bcd', 'x', 'a|cd'],
    ['a|bcd', '2x', 'a|d'],
    ['abc|d', 'x', 'ab|c'],
    ['ab|cd', 'X', 'a|cd'],
    ['|abc', 'rX', '|Xbc'],
    ['|abc', '2rX', 'X|Xc'],
    ['|abc', '9rX', '|abc'],
    ['|aBc', '~', 'A|Bc'],
    ['|aBc', '3~', 'Ab|C'],
    ['a|b', 'oX<esc>', 'ab\n|X'],
    ['a|b', 'OX<esc>', '|X\nab'],
    ['a|b', 'iX<esc>', 'a|Xb'],
    ['a|b', 'aX<esc>', 'ab|X'],
    ['  a|b', 'IX<esc>', '  |Xab'],
    ['|ab', 'AX<esc>', 'ab|X'],
    ['a|bc', 'sX<esc>', 'a|Xc'],
    // Again
    ['|one two three', 'dw.', '|three'],
    ['|a b c d e f', 'dw3.', '|e f'],
    ['|one two', 'cwX<esc>w.', 'X |X'],
    ['|abcd', 'x.', '|cd'],
    ['|a', 'oX<esc>.', 'a\nX\n|X'],
    ['|aaa', 'rXl.', 'X|Xa'],
    // Undo
    ['|one two', 'dwu', '|one two'],
    ['|one two', 'dwu<c-r>', '|two'],
    ['|abcd', 'xx2u', '|abcd'],
    // Given up
    ['|one two', 'd<esc>w', 'one |two'],
    ['|one two', 'dz', '|one two'],
    ['|one two', '3<esc>w', 'one |two'],
  ])('%j with %s is %j', (before, keys, after) => {
    expect(marked(press(open(before), keys).buffer)).toBe(after);
  });

  it('shows the unfinished command and forgets it with escape', () => {
    expect(press(open('|a b'), '2d').vim.keys.join('')).toBe('2d');
    expect(press(open('|a b'), '2d<esc>').vim.keys).toEqual([]);
  });

  it('leaves keys that are nothing to it to the ordinary meaning', () => {
    const editor = open('|a');
    const layout = layoutLines(editor.buffer.lines, { columns: 40 });
    const keys = ['enter', 'ctrl+c', 'escape', 'tab', 'f12'];
    expect(keys.map((key) => reduceVimKey(editor, key, layout).isHandled)).toEqual(keys.map(() => false));
    expect(reduceVimKey(press(editor, 'i'), 'x', layout).isHandled).toBe(false);
  });

  it('survives a count beyond reason', () => {
    expect(press(open('|ab'), 'x99999999p').buffer.lines[0]!.length).toBe(10_000);
  });
});
