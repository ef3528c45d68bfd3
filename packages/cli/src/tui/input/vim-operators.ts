/** Applies vim's operators to a range: delete, change, yank; put; and the changes of one key. Pure. */

import { nextBoundary } from '../text/graphemes.ts';
import { lineAt } from './lines.ts';
import { isBefore, reduceTextBuffer, textBetween } from './text-buffer.ts';
import type { TextBuffer } from './text-buffer.ts';
import { alongLine, firstNonBlank, onCharacter } from './vim-motions.ts';
import type { MotionResult } from './vim-motions.ts';
import type { VimEditor, VimOperator } from './vim-state.ts';
import type { Position } from './visual-layout.ts';

export function applyOperator(editor: VimEditor, operator: VimOperator, motion: MotionResult): VimEditor {
  const { caret, lines } = editor.buffer;
  const [first, last] = isBefore(motion.target, caret) ? [motion.target, caret] : [caret, motion.target];
  if (motion.isLinewise) return operateOnLines(editor, operator, first.row, last.row);
  const line = lineAt(lines, last.row);
  const end = motion.isInclusive ? { row: last.row, column: nextBoundary(line, last.column) } : last;
  return operateOnRange(editor, operator, first, end);
}

export function operateOnLines(editor: VimEditor, operator: VimOperator, first: number, last: number): VimEditor {
  const { lines, caret } = editor.buffer;
  const register = { text: lines.slice(first, last + 1).join('\n'), isLinewise: true };
  const vim = { ...editor.vim, register };
  const wholeEnd = { row: last, column: lineAt(lines, last).length };
  if (operator === 'y') return { vim, buffer: place(editor.buffer, { row: first, column: caret.column }) };
  if (operator === 'c') {
    const buffer = replace(editor.buffer, { row: first, column: 0 }, wholeEnd, '');
    return { vim: { ...vim, mode: 'INSERT' }, buffer };
  }
  const buffer =
    last < lines.length - 1
      ? replace(editor.buffer, { row: first, column: 0 }, { row: last + 1, column: 0 }, '')
      : replace(editor.buffer, lineBreakBefore(lines, first), wholeEnd, '');
  const row = Math.min(first, buffer.lines.length - 1);
  return { vim, buffer: place(buffer, firstNonBlank(buffer.lines, row)) };
}

function operateOnRange(editor: VimEditor, operator: VimOperator, start: Position, end: Position): VimEditor {
  const register = { text: textBetween(editor.buffer.lines, start, end), isLinewise: false };
  const vim = { ...editor.vim, register };
  if (operator === 'y') return { vim, buffer: place(editor.buffer, start) };
  const buffer = place(replace(editor.buffer, start, end, ''), start);
  return { vim: operator === 'c' ? { ...vim, mode: 'INSERT' } : vim, buffer };
}

/** `p` and `P`. */
export function put(editor: VimEditor, count: number, { isBehind }: { isBehind: boolean }): VimEditor {
  const { vim, buffer } = editor;
  const { text, isLinewise } = vim.register;
  const { row, column } = buffer.caret;
  const line = lineAt(buffer.lines, row);
  if (text === '' && !isLinewise) return editor;
  if (isLinewise) {
    const block = Array.from({ length: count }, () => text).join('\n');
    const at = isBehind ? { row, column: line.length } : { row, column: 0 };
    const changed = replace(buffer, at, at, isBehind ? `\n${block}` : `${block}\n`);
    return { vim, buffer: place(changed, firstNonBlank(changed.lines, isBehind ? row + 1 : row)) };
  }
  const at = { row, column: isBehind ? nextBoundary(line, column) : column };
  const changed = replace(buffer, at, at, text.repeat(count));
  return { vim, buffer: place(changed, alongLine(changed.lines, changed.caret, -1)) };
}

/** `r`: replaces as many characters as the count, or none when the line has fewer. */
export function replaceCharacters(buffer: TextBuffer, character: string, count: number): TextBuffer {
  const { caret, lines } = buffer;
  const end = alongLine(lines, caret, count);
  if (alongLine(lines, caret, count - 1).column >= lineAt(lines, caret.row).length) return buffer;
  const changed = replace(buffer, caret, end, character.repeat(count));
  return place(changed, alongLine(changed.lines, changed.caret, -1));
}

/** `~`. */
export function toggleCase(buffer: TextBuffer, count: number): TextBuffer {
  const { caret, lines } = buffer;
  const end = alongLine(lines, caret, count);
  const toggled = [...textBetween(lines, caret, end)].map(toggleLetter).join('');
  return replace(buffer, caret, end, toggled);
}

/** `o` and `O`: an empty line, with the caret in it. */
export function openLine(buffer: TextBuffer, { isBelow }: { isBelow: boolean }): TextBuffer {
  const { row } = buffer.caret;
  const at = { row, column: isBelow ? lineAt(buffer.lines, row).length : 0 };
  const changed = replace(buffer, at, at, '\n');
  return place(changed, { row: isBelow ? row + 1 : row, column: 0 });
}

export function settle({ vim, buffer }: VimEditor): VimEditor {
  if (vim.mode === 'INSERT') return { vim, buffer };
  const caret = onCharacter(buffer.lines, buffer.caret);
  return { vim, buffer: caret.column === buffer.caret.column ? buffer : { ...buffer, caret } };
}

function toggleLetter(letter: string): string {
  const upper = letter.toUpperCase();
  return letter === upper ? letter.toLowerCase() : upper;
}

function lineBreakBefore(lines: readonly string[], row: number): Position {
  return row === 0 ? { row: 0, column: 0 } : { row: row - 1, column: lineAt(lines, row - 1).length };
}

function place(buffer: TextBuffer, caret: Position): TextBuffer {
  return reduceTextBuffer(buffer, { type: 'place', caret });
}

function replace(buffer: TextBuffer, start: Position, end: Position, text: string): TextBuffer {
  return reduceTextBuffer(buffer, { type: 'replace', start, end, text });
}
