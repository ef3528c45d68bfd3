/** What a command is asked for and how it ended, as plain data. Pure. */

import type { ShellExit } from './shell-process.ts';

export interface ShellRequest {
  command: string;
  directory: string;
  signal: AbortSignal;
  onOutput?: (text: string) => void;
  onPid?: (pid: number) => void;
}

export type ShellEnding =
  | 'exited'
  | 'cancelled'
  | 'timed_out'
  | 'waiting_for_input'
  /** It printed more than a command may. */
  | 'too_much_output'
  /** By the person. */
  | 'moved_to_background'
  /** By itself: a server that is up is not waited for. */
  | 'serving';

export interface ShellOutcome {
  ending: ShellEnding;
  /** Clean text, of bounded size; when moved, what there was until then. */
  output: string;
  exitCode: number | null;
  signal: NodeJS.Signals | null;
  /** Undefined when nothing was started. */
  pid?: number;
  /** Still running when the shell had exited. */
  backgroundPids: number[];
  /** Bytes it printed, kept or not, once it is stopped for `too_much_output`. */
  printedBytes?: number;
  /** The line it waits, or waited, at. */
  waitingAt?: string | undefined;
  /** Why nothing was started. */
  error?: Error;
  moved?: MovedCommand;
}

/** A command that runs on while the call is over. */
export interface MovedCommand {
  finished: Promise<ShellExit>;
  /** Where its further output goes; clean text. */
  onText(sink: (text: string) => void): void;
  /** Called once with the bytes printed when they exceed the limit; nothing printed after that reaches `onText`. */
  onTooMuchOutput(listener: (printedBytes: number) => void): void;
  end(): Promise<void>;
}

export function isMoved(ending: ShellEnding): boolean {
  return ending === 'moved_to_background' || ending === 'serving';
}

export function notStarted(ending: ShellEnding): ShellOutcome {
  return { ending, output: '', exitCode: null, signal: null, backgroundPids: [] };
}
