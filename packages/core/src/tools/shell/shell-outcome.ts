/** The request for a command and its outcome, as plain data. Pure. */

import type { ShellExit } from './shell-process.ts';

export interface ShellRequest {
  command: string;
  directory: string;
  /** The user let this one command leave the sandbox. */
  isUnconfined?: boolean | undefined;
  signal: AbortSignal;
  onOutput?: (text: string) => void;
  onPid?: (pid: number) => void;
  /** The call of the model that wants it; absent for a command of the user. */
  callId?: string | undefined;
}

/** A command for a terminal that is not ours, with the variables it needs and those it must not inherit. */
export interface ForeignCommand extends ShellRequest {
  callId: string;
  environment: Readonly<Record<string, string>>;
  /** A command without output for this long is ended; 0 for never. */
  inactivityTimeoutMs: number;
}

/** Runs the command of a call somewhere else, for example in a terminal of an editor. Never rejects because of it. */
export type RunElsewhere = (command: ForeignCommand) => Promise<ShellOutcome>;

export type ShellEnding =
  | 'exited'
  | 'cancelled'
  | 'timed_out'
  | 'waiting_for_input'
  /** The command exceeded the output limit. */
  | 'too_much_output'
  /** By the user. */
  | 'moved_to_background'
  /** By itself: the call does not wait for a running server. */
  | 'serving';

export interface ShellOutcome {
  ending: ShellEnding;
  /** Clean text of bounded size; for a moved command, its output until then. */
  output: string;
  exitCode: number | null;
  signal: NodeJS.Signals | null;
  /** Undefined when nothing was started. */
  pid?: number;
  /** Processes still running after the shell exited. */
  backgroundPids: number[];
  /** Bytes printed, kept or not, when stopped for `too_much_output`. */
  printedBytes?: number;
  /** The line where it waits, or last waited. */
  waitingAt?: string | undefined;
  /** Why nothing was started. */
  error?: Error;
  moved?: MovedCommand;
}

/** A command that keeps running after its call ended. */
export interface MovedCommand {
  finished: Promise<ShellExit>;
  /** Sets the receiver of its further output, as clean text. */
  onText(sink: (text: string) => void): void;
  /** Called once with the bytes printed when they exceed the limit; later output does not reach `onText`. */
  onTooMuchOutput(listener: (printedBytes: number) => void): void;
  end(): Promise<void>;
}

export function isMoved(ending: ShellEnding): boolean {
  return ending === 'moved_to_background' || ending === 'serving';
}

export function notStarted(ending: ShellEnding): ShellOutcome {
  return { ending, output: '', exitCode: null, signal: null, backgroundPids: [] };
}
