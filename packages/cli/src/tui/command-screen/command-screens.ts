/**
 * The screens of the running commands, by process: their size, and which of them waits for input. The emulator is
 * loaded when the first one has something to show, and never for a screen reader.
 */

import type { TerminalDisplay, TerminalSize } from '@castor/core';
import { CommandScreen } from './command-screen.ts';
import type { Size } from '../terminal/painter.ts';

export interface CommandScreensOptions {
  /** The size of the terminal they are shown in. */
  readonly size: () => Size;
  /** Whether a screen can be shown. */
  readonly isSeen: () => boolean;
  /** Answers for the program, which has queried its terminal. */
  readonly answer: (pid: number, text: string) => void;
  readonly resize: (size: TerminalSize) => void;
  /** A focused screen has changed. */
  readonly onChange: () => void;
  /** A command began to wait for input, or continues; `isNews` when the user should be notified. */
  readonly onWaiting: (isNews: boolean) => void;
}

/** The width left beside the frame and the margin of a call. */
const BESIDE = 3;
/** The rule, the hint, the footer, and two that stay empty. */
const AROUND = 5;
const FEWEST: TerminalSize = { columns: 20, rows: 4 };
/** More rows are no easier to read, and every frame draws them. */
const MOST_ROWS = 40;

export class CommandScreens implements TerminalDisplay {
  private readonly options: CommandScreensOptions;
  private readonly screens = new Map<number, CommandScreen>();

  constructor(options: CommandScreensOptions) {
    this.options = options;
  }

  get size(): TerminalSize {
    const { columns, rows } = this.options.size();
    return {
      columns: Math.max(columns - BESIDE, FEWEST.columns),
      rows: Math.max(Math.min(rows - AROUND, MOST_ROWS), FEWEST.rows),
    };
  }

  get(pid: number | undefined): CommandScreen | undefined {
    return pid === undefined ? undefined : this.screens.get(pid);
  }

  /** Whether a command waits for input without the focus. */
  get isWaiting(): boolean {
    return [...this.screens.values()].some(({ waitingAt, isAttended }) => waitingAt !== undefined && !isAttended);
  }

  open(pid: number): CommandScreen {
    const { answer, onChange, onWaiting, isSeen } = this.options;
    const screen: CommandScreen = new CommandScreen({
      size: this.size,
      openEmulator: isSeen() ? openEmulator : undefined,
      onAnswer: (text) => answer(pid, text),
      onChange: () => screen.isAttended && onChange(),
      onWaiting,
      onClosed: () => this.screens.delete(pid),
    });
    this.screens.set(pid, screen);
    return screen;
  }

  /** The terminal they are shown in was resized. */
  resize(): void {
    const { size } = this;
    for (const screen of this.screens.values()) screen.resize(size);
    this.options.resize(size);
  }
}

async function openEmulator(onAnswer: (text: string) => void, size: TerminalSize) {
  const { Emulator } = await import('./emulator.ts');
  return new Emulator(size, onAnswer);
}
