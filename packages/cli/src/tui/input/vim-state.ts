/** The state of vim between keys: the mode, an unfinished command, and what `.`, `;` and `p` repeat. */

import type { BufferAction, TextBuffer } from './text-buffer.ts';

export type VimMode = 'NORMAL' | 'INSERT';
export type VimOperator = 'd' | 'c' | 'y';
export type VimFind = 'f' | 'F' | 't' | 'T';

export interface VimState {
  readonly mode: VimMode;
  /** The keys of the unfinished command, for the screen and for `.`. */
  readonly keys: readonly string[];
  /** Digits typed so far. */
  readonly count: string;
  readonly operator: VimOperator | undefined;
  /** The count before the operator. */
  readonly operatorCount: string;
  /** A key that waits for one more. */
  readonly waiting: VimFind | 'g' | 'r' | undefined;
  readonly lastFind: { readonly kind: VimFind; readonly character: string } | undefined;
  readonly register: { readonly text: string; readonly isLinewise: boolean };
  readonly lastChange: VimChange | undefined;
  /** The text typed since a change began, in INSERT. */
  readonly typed: VimChange | undefined;
}

export interface VimChange {
  readonly keys: readonly string[];
  readonly actions: readonly BufferAction[];
}

/** The editor under vim. */
export interface VimEditor {
  readonly vim: VimState;
  readonly buffer: TextBuffer;
}

const NO_COMMAND = { keys: [], count: '', operator: undefined, operatorCount: '', waiting: undefined } as const;

export function createVimState(): VimState {
  return {
    mode: 'INSERT',
    ...NO_COMMAND,
    lastFind: undefined,
    register: { text: '', isLinewise: false },
    lastChange: undefined,
    typed: undefined,
  };
}

/** The command is complete or cancelled. */
export function endCommand(vim: VimState): VimState {
  return { ...vim, ...NO_COMMAND };
}

/** In INSERT, an edit that `.` will repeat. */
export function recordVimAction(vim: VimState, action: BufferAction): VimState {
  if (vim.typed === undefined || action.type === 'moveRows') return vim;
  const { keys, actions } = vim.typed;
  const last = actions.at(-1);
  // Consecutive characters form one text.
  const isContinued = last?.type === 'insert' && action.type === 'insert';
  const joined = isContinued ? { ...action, text: last.text + action.text } : action;
  return { ...vim, typed: { keys, actions: [...(isContinued ? actions.slice(0, -1) : actions), joined] } };
}
