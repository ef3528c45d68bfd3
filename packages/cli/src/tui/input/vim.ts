/**
 * Vim as a pure reducer over the editor: keys of NORMAL become motions, operators and changes; in INSERT it takes only
 * Esc and leaves the rest to the ordinary keys. It records a change as its keys and its typed text, which `.` repeats.
 */

import { lineAt } from './lines.ts';
import { reduceTextBuffer } from './text-buffer.ts';
import type { TextBuffer } from './text-buffer.ts';
import { alongLine, findCharacter, findMotion, firstNonBlank } from './vim-motions.ts';
import type { MotionResult } from './vim-motions.ts';
import {
  applyOperator,
  openLine,
  operateOnLines,
  put,
  replaceCharacters,
  settle,
  toggleCase,
} from './vim-operators.ts';
import { endCommand } from './vim-state.ts';
import type { VimEditor, VimFind, VimState } from './vim-state.ts';
import type { VisualLayout } from './visual-layout.ts';

export interface VimResult extends VimEditor {
  /** False: vim does not use the key, and its ordinary meaning counts. */
  readonly isHandled: boolean;
}

/** More than a prompt needs; keeps `99999999p` from exhausting the memory. */
const MAX_COUNT = 9_999;

/** Named keys that stand for a letter. */
const NAMED = new Map([
  ['left', 'h'],
  ['down', 'j'],
  ['up', 'k'],
  ['right', 'l'],
  ['home', '0'],
  ['end', '$'],
  ['backspace', 'h'],
  ['space', 'l'],
  ['delete', 'x'],
  ['ctrl+r', 'ctrl+r'],
  ['escape', 'escape'],
]);

const FIND_KEYS = 'fFtT';
const OPPOSITE: Record<VimFind, VimFind> = { f: 'F', F: 'f', t: 'T', T: 't' };
/** Short for an operator with a motion or its own line. */
const ALIASES = new Map([
  ['D', ['d', '$']],
  ['C', ['c', '$']],
  ['Y', ['y', 'y']],
  ['S', ['c', 'c']],
  ['s', ['c', 'l']],
]);

/** `key` is a character or the spelling of `formatKey`. */
export function reduceVimKey(editor: VimEditor, key: string, layout: VisualLayout): VimResult {
  if (editor.vim.mode === 'INSERT') return key === 'escape' ? leaveInsert(editor) : unhandled(editor);
  const isAwaited = editor.vim.waiting !== undefined;
  const name = NAMED.get(key) ?? key;
  if (name === 'escape') {
    return editor.vim.keys.length > 0 ? handled({ ...editor, vim: endCommand(editor.vim) }) : unhandled(editor);
  }
  const character = isAwaited && key === 'space' ? ' ' : name;
  if ([...character].length > 1 && character !== 'ctrl+r' && !isAwaited) return unhandled(editor);
  const typed = { ...editor, vim: { ...editor.vim, keys: [...editor.vim.keys, character] } };
  return handled(settle(isAwaited ? finishWaiting(typed, character) : command(typed, character, layout)));
}

function command(editor: VimEditor, key: string, layout: VisualLayout): VimEditor {
  const { operator: pending } = editor.vim;
  const known = prefix(editor, key) ?? movement(editor, key, layout);
  if (known !== undefined) return known;
  if (key === 'd' || key === 'c' || key === 'y') return operator(editor, key);
  // An operator takes motions only; any other key cancels it.
  return pending === undefined ? change(editor, key, layout) : give(editor);
}

/** A digit of a count, or a key that waits for one more; undefined for others. */
function prefix(editor: VimEditor, key: string): VimEditor | undefined {
  const { vim } = editor;
  if (/^[1-9]$/.test(key) || (key === '0' && vim.count !== '')) {
    return { ...editor, vim: { ...vim, count: vim.count + key } };
  }
  const isWaiting = FIND_KEYS.includes(key) || key === 'g' || (key === 'r' && vim.operator === undefined);
  return isWaiting ? { ...editor, vim: { ...vim, waiting: key as VimFind | 'g' | 'r' } } : undefined;
}

/** A motion, executed or passed to the operator; undefined for other keys. */
function movement(editor: VimEditor, key: string, layout: VisualLayout): VimEditor | undefined {
  if (key === ';' || key === ',') return repeatFind(editor, key === ',');
  if (editor.vim.operator === undefined && (key === 'j' || key === 'k')) return moveRows(editor, key, layout);
  const motion = findMotion(key, motionInput(editor));
  return motion === undefined ? undefined : go(editor, motion, key);
}

/** The second key of `f`, `g`, `r` and the like. */
function finishWaiting(editor: VimEditor, character: string): VimEditor {
  const { waiting } = editor.vim;
  if (waiting === 'g') {
    return character === 'g' ? go(editor, findMotion('gg', motionInput(editor))!, 'gg') : give(editor);
  }
  if (waiting === 'r') {
    return remember({ ...editor, buffer: replaceCharacters(editor.buffer, character, countOf(editor.vim)) });
  }
  const lastFind = { kind: waiting!, character };
  return find({ ...editor, vim: { ...editor.vim, lastFind } }, lastFind);
}

function repeatFind(editor: VimEditor, isReversed: boolean): VimEditor {
  const { lastFind } = editor.vim;
  if (lastFind === undefined) return give(editor);
  return find(editor, isReversed ? { ...lastFind, kind: OPPOSITE[lastFind.kind] } : lastFind);
}

function find(editor: VimEditor, { kind, character }: { kind: VimFind; character: string }): VimEditor {
  const { lines, caret } = editor.buffer;
  const motion = findCharacter(lines, caret, { kind, character, count: countOf(editor.vim) });
  return motion === undefined ? give(editor) : go(editor, motion, kind);
}

function operator(editor: VimEditor, key: 'd' | 'c' | 'y'): VimEditor {
  const { vim, buffer } = editor;
  if (vim.operator === undefined) {
    return { ...editor, vim: { ...vim, operator: key, operatorCount: vim.count, count: '' } };
  }
  if (vim.operator !== key) return give(editor);
  const first = buffer.caret.row;
  const last = Math.min(buffer.lines.length - 1, first + countOf(vim) - 1);
  return finishOperator(operateOnLines(editor, key, first, last), key);
}

function go(editor: VimEditor, motion: MotionResult, key: string): VimEditor {
  const { operator: pending } = editor.vim;
  if (pending === undefined) {
    const buffer = reduceTextBuffer(editor.buffer, { type: 'place', caret: motion.target });
    return give({ ...editor, buffer });
  }
  return finishOperator(applyOperator(editor, pending, underOperator(editor, motion, key)), pending);
}

/** `w` under an operator stops at the end of its last word's line, and `cw` keeps the blanks after the word. */
function underOperator(editor: VimEditor, motion: MotionResult, key: string): MotionResult {
  if (key !== 'w' && key !== 'W') return motion;
  const { lines, caret } = editor.buffer;
  const isOnWord = /\S/u.test(lineAt(lines, caret.row)[caret.column] ?? ' ');
  if (editor.vim.operator === 'c' && isOnWord) return findMotion(`c${key}`, motionInput(editor))!;
  const { target } = motion;
  const isOverLineBreak = target.row > caret.row && /^\s*$/.test(lineAt(lines, target.row).slice(0, target.column));
  return isOverLineBreak ? { target: { row: target.row - 1, column: lineAt(lines, target.row - 1).length } } : motion;
}

function moveRows(editor: VimEditor, key: 'j' | 'k', layout: VisualLayout): VimEditor {
  const by = key === 'j' ? countOf(editor.vim) : -countOf(editor.vim);
  return give({ ...editor, buffer: reduceTextBuffer(editor.buffer, { type: 'moveRows', by, layout }) });
}

/** The changes of one key, and the keys that enter INSERT. */
function change(editor: VimEditor, key: string, layout: VisualLayout): VimEditor {
  const { buffer, vim } = editor;
  const { lines, caret } = buffer;
  const count = countOf(vim);
  const edited = (next: TextBuffer) => remember({ vim, buffer: next });
  const inserted = (next: TextBuffer) => enterInsert({ vim, buffer: next });
  const placed = (column: number) => reduceTextBuffer(buffer, { type: 'place', caret: { row: caret.row, column } });
  switch (key) {
    case 'i':
      return inserted(buffer);
    case 'a':
      return inserted(placed(alongLine(lines, caret, 1).column));
    case 'I':
      return inserted(placed(firstNonBlank(lines, caret.row).column));
    case 'A':
      return inserted(placed(lineAt(lines, caret.row).length));
    case 'o':
    case 'O':
      return inserted(openLine(buffer, { isBelow: key === 'o' }));
    case 'x':
    case 'X': {
      const target = alongLine(lines, caret, key === 'x' ? count : -count);
      return remember(applyOperator(editor, 'd', { target }));
    }
    case '~':
      return edited(toggleCase(buffer, count));
    case 'p':
    case 'P':
      return remember(put(editor, count, { isBehind: key === 'p' }));
    case 'u':
    case 'ctrl+r':
      return give({ vim, buffer: times(buffer, count, key === 'u' ? 'undo' : 'redo') });
    case '.':
      return repeatChange(editor, layout);
    default:
      return alias(editor, key, layout);
  }
}

function alias(editor: VimEditor, key: string, layout: VisualLayout): VimEditor {
  const keys = ALIASES.get(key);
  if (keys === undefined) return give(editor);
  const vim = { ...editor.vim, keys: [...editor.vim.keys.slice(0, -1), ...keys] };
  return keys.reduce<VimEditor>((state, each) => command(state, each, layout), { ...editor, vim });
}

function repeatChange(editor: VimEditor, layout: VisualLayout): VimEditor {
  const { lastChange, count } = editor.vim;
  if (lastChange === undefined) return give(editor);
  const written = lastChange.keys
    .join('\0')
    .replace(/^(?:\d\0)+/, '')
    .split('\0');
  const keys = count === '' ? lastChange.keys : [...count, ...written];
  let state: VimEditor = give(editor);
  for (const key of keys) state = reduceVimKey(state, key, layout);
  if (state.vim.mode === 'INSERT') {
    const buffer = lastChange.actions.reduce(reduceTextBuffer, state.buffer);
    state = leaveInsert({ vim: { ...state.vim, typed: { keys, actions: lastChange.actions } }, buffer });
  }
  return state;
}

function finishOperator(editor: VimEditor, key: 'd' | 'c' | 'y'): VimEditor {
  if (key === 'y') return give(editor);
  return key === 'c' ? enterInsert(editor) : remember(editor);
}

function enterInsert(editor: VimEditor): VimEditor {
  const typed = { keys: editor.vim.keys, actions: [] };
  return { ...editor, vim: { ...endCommand(editor.vim), mode: 'INSERT', typed } };
}

function leaveInsert({ vim, buffer }: VimEditor): VimResult {
  const caret = alongLine(buffer.lines, buffer.caret, -1);
  const { typed } = vim;
  const next: VimState = { ...endCommand(vim), mode: 'NORMAL', lastChange: typed ?? vim.lastChange, typed: undefined };
  return handled({ vim: next, buffer: reduceTextBuffer(buffer, { type: 'place', caret }) });
}

/** The command is complete, and `.` will repeat it. */
function remember(editor: VimEditor): VimEditor {
  const lastChange = { keys: editor.vim.keys, actions: [] };
  return { ...editor, vim: { ...endCommand(editor.vim), lastChange } };
}

function give(editor: VimEditor): VimEditor {
  return { ...editor, vim: endCommand(editor.vim) };
}

function motionInput({ vim, buffer }: VimEditor) {
  const hasCount = vim.count !== '' || vim.operatorCount !== '';
  return { lines: buffer.lines, from: buffer.caret, count: countOf(vim), hasCount };
}

/** A count before the operator and one before the motion multiply. */
function countOf({ count, operatorCount }: VimState): number {
  return Math.min(MAX_COUNT, Number(count || 1) * Number(operatorCount || 1));
}

function times(buffer: TextBuffer, count: number, type: 'undo' | 'redo'): TextBuffer {
  let next = buffer;
  for (let done = 0; done < count; done++) next = reduceTextBuffer(next, { type });
  return next;
}

function handled(editor: VimEditor): VimResult {
  return { ...editor, isHandled: true };
}

function unhandled(editor: VimEditor): VimResult {
  return { ...editor, isHandled: false };
}
