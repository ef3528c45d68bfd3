/**
 * The editor as a pure reducer: lines, a caret, undo, and killed texts. The caret always lies between whole graphemes.
 * It knows neither keys nor the screen; moving by rows takes the layout as an argument. An edit costs what it changes.
 */

import { appendPatch, invert, spliceLines } from './edit-patch.ts';
import type { Patch, PatchKind } from './edit-patch.ts';
import { nextBoundary, previousBoundary, snapToBoundary } from '../text/graphemes.ts';
import { lineAt } from './lines.ts';
import { fromVisual, toVisual } from './visual-layout.ts';
import type { Position, VisualLayout } from './visual-layout.ts';
import { nextWordEnd, previousWordStart } from './words.ts';

export interface TextBuffer {
  readonly lines: readonly string[];
  readonly caret: Position;
  /** The column that moving up and down tries to keep. */
  readonly goalCell: number | undefined;
  readonly past: readonly Patch[];
  readonly future: readonly Patch[];
  /** Killed texts, the latest last. */
  readonly kills: readonly string[];
  /** The kind of the last action, for joining: typing to typing, kills to kills, a yank to its pop. */
  readonly last: 'type' | 'erase' | 'kill' | 'yank' | undefined;
  /** The position of the last yank, for replacing it with an older kill. */
  readonly yanked: { readonly start: Position; readonly end: Position; readonly index: number } | undefined;
}

export type Motion = 'left' | 'right' | 'wordLeft' | 'wordRight' | 'lineStart' | 'lineEnd' | 'start' | 'end';

export type BufferAction =
  | { readonly type: 'insert'; readonly text: string }
  | { readonly type: 'move'; readonly to: Motion }
  | { readonly type: 'moveRows'; readonly by: number; readonly layout: VisualLayout }
  | { readonly type: 'place'; readonly caret: Position }
  /** Erases from the caret to the target of a motion. */
  | { readonly type: 'erase'; readonly to: Motion }
  /** As `erase`, and keeps the erased text. At the end of a line it erases the line break. */
  | { readonly type: 'kill'; readonly to: Motion }
  | { readonly type: 'replace'; readonly start: Position; readonly end: Position; readonly text: string }
  | { readonly type: 'setText'; readonly text: string }
  | { readonly type: 'yank' }
  | { readonly type: 'yankPop' }
  | { readonly type: 'undo' }
  | { readonly type: 'redo' };

const MAX_KILLS = 20;
const START: Position = { row: 0, column: 0 };

export function createTextBuffer(text = ''): TextBuffer {
  const lines = toLines(text);
  const fresh = { goalCell: undefined, past: [], future: [], kills: [], last: undefined, yanked: undefined };
  return { lines, caret: endOf(lines), ...fresh };
}

export function getBufferText(buffer: TextBuffer): string {
  return buffer.lines.join('\n');
}

export function isBufferEmpty(buffer: TextBuffer): boolean {
  return buffer.lines.length === 1 && buffer.lines[0] === '';
}

export function reduceTextBuffer(buffer: TextBuffer, action: BufferAction): TextBuffer {
  switch (action.type) {
    case 'insert':
      return insert(buffer, action.text);
    case 'move':
      return moveTo(buffer, findTarget(buffer, action.to));
    case 'moveRows':
      return moveRows(buffer, action.by, action.layout);
    case 'place':
      return moveTo(buffer, clamp(buffer.lines, action.caret));
    case 'erase':
      return erase(buffer, findTarget(buffer, action.to));
    case 'kill':
      return kill(buffer, action.to);
    case 'replace':
      return replace(
        buffer,
        { start: clamp(buffer.lines, action.start), end: clamp(buffer.lines, action.end), text: action.text },
        'other',
      );
    case 'setText':
      return replace(buffer, { start: START, end: endOf(buffer.lines), text: action.text }, 'other');
    case 'yank':
      return yank(buffer, buffer.caret, buffer.caret, buffer.kills.length - 1);
    case 'yankPop':
      return yankPop(buffer);
    case 'undo':
      return step(buffer, 'past', 'future');
    case 'redo':
      return step(buffer, 'future', 'past');
  }
}

/** The text between two places, the first not after the second. */
export function textBetween(lines: readonly string[], start: Position, end: Position): string {
  if (start.row === end.row) return lineAt(lines, start.row).slice(start.column, end.column);
  const between = lines.slice(start.row + 1, end.row);
  return [lineAt(lines, start.row).slice(start.column), ...between, lineAt(lines, end.row).slice(0, end.column)].join(
    '\n',
  );
}

export function endOf(lines: readonly string[]): Position {
  return { row: lines.length - 1, column: lines.at(-1)!.length };
}

export function isBefore(one: Position, other: Position): boolean {
  return one.row < other.row || (one.row === other.row && one.column < other.column);
}

function insert(buffer: TextBuffer, text: string): TextBuffer {
  if (text === '') return buffer;
  const isTyping = text.length <= 2 && text !== '\n' && text !== '\r';
  // Undo reverts a word at a time.
  const beforeCaret = lineAt(buffer.lines, buffer.caret.row)[buffer.caret.column - 1] ?? ' ';
  const isNewWord = beforeCaret === ' ' && text !== ' ';
  const joins = buffer.last === 'type' && !isNewWord;
  const next = replace(buffer, { start: buffer.caret, end: buffer.caret, text }, isTyping ? 'type' : 'other', {
    joins,
  });
  return { ...next, last: isTyping ? 'type' : undefined };
}

function erase(buffer: TextBuffer, target: Position): TextBuffer {
  const [start, end] = isBefore(target, buffer.caret) ? [target, buffer.caret] : [buffer.caret, target];
  if (!isBefore(start, end)) return { ...buffer, last: undefined };
  const next = replace(buffer, { start, end, text: '' }, 'erase', { joins: buffer.last === 'erase' });
  return { ...next, last: 'erase' };
}

function kill(buffer: TextBuffer, to: Motion): TextBuffer {
  const { lines, caret } = buffer;
  let target = findTarget(buffer, to);
  const isAtEnd = to === 'lineEnd' && caret.column === lineAt(lines, caret.row).length;
  if (isAtEnd) target = findTarget(buffer, 'right');
  const isBackward = isBefore(target, caret);
  const [start, end] = isBackward ? [target, caret] : [caret, target];
  if (!isBefore(start, end)) return buffer;
  const taken = textBetween(lines, start, end);
  const next = replace(buffer, { start, end, text: '' }, 'other');
  return { ...next, kills: keepKill(buffer, taken, isBackward), last: 'kill' };
}

/** Consecutive kills form one text, in their order in the line. */
function keepKill({ kills, last }: TextBuffer, taken: string, isBackward: boolean): readonly string[] {
  const latest = kills.at(-1);
  if (last !== 'kill' || latest === undefined) return [...kills.slice(-(MAX_KILLS - 1)), taken];
  return [...kills.slice(0, -1), isBackward ? taken + latest : latest + taken];
}

function yank(buffer: TextBuffer, start: Position, end: Position, index: number): TextBuffer {
  const text = buffer.kills[index];
  if (text === undefined) return buffer;
  const next = replace(buffer, { start, end, text }, 'other');
  return { ...next, last: 'yank', yanked: { start, end: next.caret, index } };
}

function yankPop(buffer: TextBuffer): TextBuffer {
  const { yanked, kills, last } = buffer;
  if (last !== 'yank' || yanked === undefined) return buffer;
  return yank(buffer, yanked.start, yanked.end, (yanked.index + kills.length - 1) % kills.length);
}

interface Replacement {
  readonly start: Position;
  readonly end: Position;
  readonly text: string;
}

/** `joins`: one undo reverts it together with the change before. */
function replace(
  buffer: TextBuffer,
  { start, end, text }: Replacement,
  kind: PatchKind,
  { joins = false } = {},
): TextBuffer {
  const { lines, caret } = buffer;
  const inserted = toLines(text);
  const head = lineAt(lines, start.row).slice(0, start.column);
  const tail = lineAt(lines, end.row).slice(end.column);
  const lastColumn = inserted.length === 1 ? head.length + inserted[0]!.length : inserted.at(-1)!.length;
  inserted[0] = head + inserted[0]!;
  inserted[inserted.length - 1] += tail;
  // A mark that joins its neighbour moves the caret after the whole.
  const column = snapToBoundary(inserted.at(-1)!, lastColumn);
  const after = { row: start.row + inserted.length - 1, column };
  const removed = lines.slice(start.row, end.row + 1);
  if (removed.length === inserted.length && removed.every((line, index) => line === inserted[index])) {
    return moveTo(buffer, after);
  }
  const patch: Patch = { kind, row: start.row, removed, inserted, before: caret, after };
  return {
    ...moveTo(buffer, after),
    lines: spliceLines(lines, start.row, removed.length, inserted),
    past: appendPatch(buffer.past, patch, { joins }),
    future: [],
  };
}

function step(buffer: TextBuffer, from: 'past' | 'future', to: 'past' | 'future'): TextBuffer {
  const patch = buffer[from].at(-1);
  if (patch === undefined) return buffer;
  // Patches are stored in the direction in which their list applies them.
  const change = from === 'past' ? invert(patch) : patch;
  return {
    ...moveTo(buffer, change.after),
    lines: spliceLines(buffer.lines, change.row, change.removed.length, change.inserted),
    [from]: buffer[from].slice(0, -1),
    [to]: [...buffer[to], patch],
  };
}

function moveTo(buffer: TextBuffer, caret: Position): TextBuffer {
  return { ...buffer, caret, goalCell: undefined, last: undefined, yanked: undefined };
}

function moveRows(buffer: TextBuffer, by: number, layout: VisualLayout): TextBuffer {
  const { row, cell } = toVisual(layout, buffer.caret);
  const goalCell = buffer.goalCell ?? cell;
  const caret = fromVisual(layout, { row: row + by, cell: goalCell });
  return { ...moveTo(buffer, caret), goalCell };
}

function findTarget({ lines, caret: { row, column } }: TextBuffer, motion: Motion): Position {
  const line = lineAt(lines, row);
  switch (motion) {
    case 'left':
      if (column > 0) return { row, column: previousBoundary(line, column) };
      return row > 0 ? { row: row - 1, column: lineAt(lines, row - 1).length } : START;
    case 'right':
      if (column < line.length) return { row, column: nextBoundary(line, column) };
      return row < lines.length - 1 ? { row: row + 1, column: 0 } : { row, column };
    case 'wordLeft':
      if (column > 0) return { row, column: previousWordStart(line, column) };
      return row > 0 ? { row: row - 1, column: lineAt(lines, row - 1).length } : START;
    case 'wordRight':
      if (column < line.length) return { row, column: nextWordEnd(line, column) };
      return row < lines.length - 1 ? { row: row + 1, column: 0 } : { row, column };
    case 'lineStart':
      return { row, column: 0 };
    case 'lineEnd':
      return { row, column: line.length };
    case 'start':
      return START;
    case 'end':
      return endOf(lines);
  }
}

function clamp(lines: readonly string[], { row, column }: Position): Position {
  const inside = Math.max(0, Math.min(row, lines.length - 1));
  return { row: inside, column: snapToBoundary(lineAt(lines, inside), column) };
}

function toLines(text: string): string[] {
  const normal = text.includes('\r') ? text.replaceAll(/\r\n?/g, '\n') : text;
  return normal.toWellFormed().split('\n');
}
