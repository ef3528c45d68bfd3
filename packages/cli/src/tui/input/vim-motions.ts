/** Computes the targets of vim's motions, as pure functions over lines. They move nothing. */

import { nextBoundary, previousBoundary } from '../text/graphemes.ts';
import { lineAt } from './lines.ts';
import { endOf, isBefore } from './text-buffer.ts';
import type { VimFind } from './vim-state.ts';
import type { Position } from './visual-layout.ts';
import { classify } from './words.ts';

export interface MotionResult {
  readonly target: Position;
  readonly isLinewise?: boolean;
  /** The character at the target is part of the operator's range. */
  readonly isInclusive?: boolean;
}

type Lines = readonly string[];
type ClassOf = (grapheme: string) => string;

interface MotionInput {
  readonly lines: Lines;
  readonly from: Position;
  readonly count: number;
  readonly hasCount: boolean;
}

/** By key; `gg` and the meaning of `w` under `c` are spelled out. Motions by row are the editor's. */
const MOTIONS = new Map<string, (input: MotionInput) => MotionResult>([
  ['h', ({ lines, from, count }) => ({ target: alongLine(lines, from, -count) })],
  ['l', ({ lines, from, count }) => ({ target: alongLine(lines, from, count) })],
  ['j', ({ lines, from, count }) => byLine(lines, from, count)],
  ['k', ({ lines, from, count }) => byLine(lines, from, -count)],
  ['0', ({ from }) => ({ target: { row: from.row, column: 0 } })],
  ['^', ({ lines, from }) => ({ target: firstNonBlank(lines, from.row) })],
  ['$', lineEnd],
  ['w', (input) => ({ target: repeat(input, nextWord(smallClass)) })],
  ['W', (input) => ({ target: repeat(input, nextWord(bigClass)) })],
  ['b', (input) => ({ target: repeat(input, previousWord(smallClass)) })],
  ['B', (input) => ({ target: repeat(input, previousWord(bigClass)) })],
  ['e', (input) => ({ target: repeat(input, wordEnd(smallClass)), isInclusive: true })],
  ['E', (input) => ({ target: repeat(input, wordEnd(bigClass)), isInclusive: true })],
  ['cw', (input) => ({ target: changedWordEnd(input, smallClass), isInclusive: true })],
  ['cW', (input) => ({ target: changedWordEnd(input, bigClass), isInclusive: true })],
  ['gg', ({ lines, count }) => toLine(lines, count - 1)],
  ['G', ({ lines, count, hasCount }) => toLine(lines, hasCount ? count - 1 : lines.length - 1)],
]);

export function findMotion(name: string, input: MotionInput): MotionResult | undefined {
  return MOTIONS.get(name)?.(input);
}

/** f, F, t or T in the line; undefined when the line has too few of the character. */
export function findCharacter(
  lines: Lines,
  from: Position,
  { kind, character, count }: { kind: VimFind; character: string; count: number },
): MotionResult | undefined {
  const line = lineAt(lines, from.row);
  const isForward = kind === 'f' || kind === 't';
  let column = from.column;
  for (let found = 0; found < count;) {
    const next = isForward ? nextBoundary(line, column) : previousBoundary(line, column);
    if (next === column || next >= line.length) return undefined;
    column = next;
    if (line.slice(column, nextBoundary(line, column)) === character) found++;
  }
  if (kind === 't') column = previousBoundary(line, column);
  if (kind === 'T') column = nextBoundary(line, column);
  return { target: { row: from.row, column }, isInclusive: isForward };
}

export function firstNonBlank(lines: Lines, row: number): Position {
  return { row, column: /^\s*/.exec(lineAt(lines, row))![0].length };
}

/** The place as NORMAL allows it: on a character, not after the last one. */
export function onCharacter(lines: Lines, { row, column }: Position): Position {
  const line = lineAt(lines, row);
  return column >= line.length && line.length > 0
    ? { row, column: previousBoundary(line, line.length) }
    : { row, column };
}

export function alongLine(lines: Lines, { row, column }: Position, by: number): Position {
  const line = lineAt(lines, row);
  let next = column;
  for (let step = 0; step < Math.abs(by); step++) {
    const moved = by > 0 ? nextBoundary(line, next) : previousBoundary(line, next);
    if (moved === next) break;
    next = moved;
  }
  return { row, column: next };
}

function lineEnd({ lines, from, count }: MotionInput): MotionResult {
  const row = Math.min(lines.length - 1, from.row + count - 1);
  const line = lineAt(lines, row);
  return { target: { row, column: previousBoundary(line, line.length) }, isInclusive: line.length > 0 };
}

function byLine(lines: Lines, { row, column }: Position, by: number): MotionResult {
  const target = Math.max(0, Math.min(lines.length - 1, row + by));
  return { target: { row: target, column: Math.min(column, lineAt(lines, target).length) }, isLinewise: true };
}

function toLine(lines: Lines, row: number): MotionResult {
  return { target: firstNonBlank(lines, Math.max(0, Math.min(lines.length - 1, row))), isLinewise: true };
}

function repeat({ lines, from, count }: MotionInput, step: (lines: Lines, from: Position) => Position): Position {
  let position = from;
  for (let done = 0; done < count; done++) {
    const next = step(lines, position);
    if (next.row === position.row && next.column === position.column) break;
    position = next;
  }
  return position;
}

function nextWord(classOf: ClassOf) {
  return (lines: Lines, from: Position): Position => {
    const end = endOf(lines);
    const kind = classOf(at(lines, from));
    let position = from;
    if (kind !== 'blank') {
      while (isBefore(position, end) && classOf(at(lines, position)) === kind) position = forward(lines, position);
    } else {
      position = forward(lines, position);
    }
    while (isBefore(position, end) && classOf(at(lines, position)) === 'blank' && !isEmptyLine(lines, position)) {
      position = forward(lines, position);
    }
    return position;
  };
}

function wordEnd(classOf: ClassOf) {
  return (lines: Lines, from: Position): Position => {
    const end = endOf(lines);
    let position = forward(lines, from);
    while (isBefore(position, end) && classOf(at(lines, position)) === 'blank') position = forward(lines, position);
    const kind = classOf(at(lines, position));
    for (let next = forward(lines, position); isBefore(next, end); next = forward(lines, position)) {
      if (classOf(at(lines, next)) !== kind) break;
      position = next;
    }
    return position;
  };
}

/** As `wordEnd`, but a word whose last letter is under the caret counts already. */
function changedWordEnd(input: MotionInput, classOf: ClassOf): Position {
  const { lines, from, count } = input;
  const kind = classOf(at(lines, from));
  let position = from;
  for (let next = forward(lines, from); next.row === from.row && classOf(at(lines, next)) === kind;) {
    position = next;
    next = forward(lines, next);
  }
  return count === 1 ? position : repeat({ ...input, from: position, count: count - 1 }, wordEnd(classOf));
}

function previousWord(classOf: ClassOf) {
  return (lines: Lines, from: Position): Position => {
    let position = backward(lines, from);
    while (!isStart(position) && classOf(at(lines, position)) === 'blank' && !isEmptyLine(lines, position)) {
      position = backward(lines, position);
    }
    const kind = classOf(at(lines, position));
    while (!isStart(position) && kind !== 'blank') {
      const before = backward(lines, position);
      if (before.row !== position.row || classOf(at(lines, before)) !== kind) break;
      position = before;
    }
    return position;
  };
}

function smallClass(grapheme: string): string {
  return grapheme === '\n' ? 'blank' : classify(grapheme);
}

function bigClass(grapheme: string): string {
  return smallClass(grapheme) === 'blank' ? 'blank' : 'other';
}

/** The character at a place; the end of a line is a line break. */
function at(lines: Lines, { row, column }: Position): string {
  const line = lineAt(lines, row);
  return column >= line.length ? '\n' : line.slice(column, nextBoundary(line, column));
}

function forward(lines: Lines, { row, column }: Position): Position {
  const line = lineAt(lines, row);
  if (column < line.length) return { row, column: nextBoundary(line, column) };
  return row < lines.length - 1 ? { row: row + 1, column: 0 } : { row, column };
}

function backward(lines: Lines, { row, column }: Position): Position {
  if (column > 0) return { row, column: previousBoundary(lineAt(lines, row), column) };
  return row > 0 ? { row: row - 1, column: lineAt(lines, row - 1).length } : { row, column };
}

function isEmptyLine(lines: Lines, { row }: Position): boolean {
  return lines[row] === '';
}

function isStart({ row, column }: Position): boolean {
  return row === 0 && column === 0;
}
