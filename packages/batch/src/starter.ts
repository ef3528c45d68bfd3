/** The contract of what starts the programs of tasks: each with its folder, its variables, files for its output, and a lifeline. */

export type Environment = Readonly<Record<string, string | undefined>>;

export interface Start {
  words: readonly [string, ...string[]];
  directory: string;
  environment: Environment;
  /** The path of what it reads; without one it reads nothing. */
  stdin?: string | undefined;
  /** Paths; the output is added to them. */
  stdout: string;
  stderr: string;
  /**
   * The program gets a group of its own and, as `LIFELINE_DESCRIPTOR`, a pipe that only the worker holds open. Those that set it to
   * not block share one; those that wait in a read share the other.
   */
  lifeline?: 'polled' | 'read' | undefined;
  /** This file names the process before the program begins, so that the next worker can wait for its end. */
  identity?: string | undefined;
  /** Runs before the program, which starts if it succeeds: else the exit code is `FIRST_FAILED`. Only where the starter `hasFirst`. */
  first?: { words: readonly string[]; directory: string; environment: Environment } | undefined;
  /** It ends soon, and is never signalled. */
  isBrief?: boolean | undefined;
}

/** No program of a task has this exit code. */
export const FIRST_FAILED = 118;

export interface Started {
  /** The exit code; null where a signal of the worker ended it. Throws the system's error when it cannot be started, and StarterDiedError. */
  readonly ended: Promise<number | null>;
  /** Signals the program and all it started; also what it left behind. */
  end(signal: NodeJS.Signals): void;
}

export interface Starter {
  readonly hasFirst: boolean;
  start(options: Start): Started;
  /** Ends the lifelines too. */
  close(): void;
}

/** What started the program was killed: its end is unknown, and the task is not to blame. */
export class StarterDiedError extends Error {
  constructor() {
    super('The shell that starts programs was killed.');
    this.name = 'StarterDiedError';
  }
}

export const LIFELINE_DESCRIPTOR = 3;

/** False when the group is empty. */
export function signalGroup(pid: number, signal: NodeJS.Signals): boolean {
  try {
    return process.kill(-pid, signal);
  } catch {
    return false;
  }
}
