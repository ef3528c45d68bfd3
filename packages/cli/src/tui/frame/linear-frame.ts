/**
 * Renders the frame for a screen reader: each change of state once, questions when they open, and the line being typed.
 */

import { StreamingState } from '@castor/core';
import type { Dialog, DialogView } from '../dialogs/dialog.ts';
import type { ComposerSnapshot } from '../input/composer-contract.ts';
import type { Frame } from '../terminal/painter.ts';
import type { Styles } from '../theme/styles.ts';

export interface LinearState {
  readonly streaming: StreamingState;
  /** Whether it is a prompt that runs: the outcome of anything else tells its end. */
  readonly isPrompt: boolean;
  readonly dialog: Dialog | undefined;
  readonly snapshot: ComposerSnapshot;
  readonly toast: string | undefined;
  /** The keys available for the running command. */
  readonly keyHints: readonly string[];
  /** Whether it waits for input without the focus. */
  readonly isWaitedFor: boolean;
  readonly styles: Styles;
  readonly width: number;
}

const STATES: Readonly<Record<StreamingState, string>> = {
  [StreamingState.Idle]: 'Ready.',
  [StreamingState.Responding]: 'Working. Escape cancels.',
  [StreamingState.WaitingForConfirmation]: 'Waiting for your answer.',
};

/** Enough for any question; nothing scrolls here. */
const ROWS = 200;

export class LinearFrame {
  private streaming: StreamingState = StreamingState.Idle;
  private toast: string | undefined;
  private hints = '';
  private isWaitedFor = false;
  private dialogRows: readonly string[] = [];

  /** The lines to speak and the frame under them. */
  draw(state: LinearState): { lines: string[]; frame: Frame } {
    const { dialog, styles, width } = state;
    const view = dialog?.view({ styles, width, maxRows: ROWS });
    return {
      lines: [...this.sayState(state), ...this.sayDialog(view)],
      frame: view ? dialogInput(view) : promptInput(state),
    };
  }

  private sayState({ streaming: given, isPrompt, dialog, toast, keyHints, isWaitedFor }: LinearState): string[] {
    // The question itself tells what the program waits for.
    const isUntold = given === StreamingState.Idle ? dialog !== undefined : !isPrompt;
    const streaming = isUntold ? this.streaming : given;
    const lines = streaming === this.streaming ? [] : [STATES[streaming]];
    if (toast !== undefined && toast !== this.toast) lines.push(toast);
    const hints = keyHints.join(', ');
    if (hints !== '' && hints !== this.hints) lines.push(`A command is running: ${hints}.`);
    if (isWaitedFor && !this.isWaitedFor) lines.push('The command is waiting for input.');
    this.isWaitedFor = isWaitedFor;
    this.hints = hints;
    this.streaming = streaming;
    this.toast = toast;
    return lines;
  }

  /** The unspoken part of a question: all of it at first, then what a key changed. */
  private sayDialog(view: DialogView | undefined): string[] {
    // The row with the caret is the input itself.
    const rows = (view?.rows ?? []).filter((_row, index) => index !== view?.caret?.row);
    const before = this.dialogRows;
    this.dialogRows = rows;
    // A row that is no longer the chosen one has been said.
    const isSaid = (row: string) => before.includes(row) || before.includes(`Chosen: ${row}`);
    return rows.filter((row) => row.trim() !== '' && !isSaid(row));
  }
}

function dialogInput({ rows, caret }: DialogView): Frame {
  return caret ? { rows: [rows[caret.row] ?? ''], caret: { row: 0, column: caret.column } } : { rows: [''] };
}

function promptInput({ snapshot }: LinearState): Frame {
  const text = snapshot.rows[snapshot.caretRow]?.text ?? '';
  return { rows: [`${snapshot.isShell ? '! ' : '> '}${text}`], caret: { row: 0, column: 2 + snapshot.caretCell } };
}
