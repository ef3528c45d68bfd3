/**
 * Handles what ends the program early: signals, uncaught exceptions, and an empty event loop. Each aborts once, sets an
 * exit code, and starts a deadline for winding up. Every crash is reported.
 */

import { writeSync } from 'node:fs';
import { ExitCode } from './exit-codes.ts';
import { sanitize } from './sanitize.ts';

const SIGNALS: Readonly<Record<string, ExitCode>> = {
  SIGINT: ExitCode.Interrupted,
  SIGTERM: ExitCode.Terminated,
  SIGHUP: ExitCode.HungUp,
};

/** How long the run may take to wind up, a slow reader included. */
const WIND_UP_MS = 3_000;

export interface Interruption {
  readonly signal: AbortSignal;
  /** Undefined until something ends the program. */
  readonly exitCode: ExitCode | undefined;
  /** The uncaught exception, if that is the cause. */
  readonly crash: Error | undefined;
  /** Called, without waiting, when winding up took too long; the process ends right after. */
  lastWords: (() => void) | undefined;
  /** Called with the name of each signal; true when the program goes on. */
  postpone?: (signal: string) => boolean;
}

/** The first cause decides; npm and shells may send a signal twice. */
export function listenForSignals(): Interruption {
  const controller = new AbortController();
  let exitCode: ExitCode | undefined;
  let crash: Error | undefined;
  const interruption: Interruption = {
    signal: controller.signal,
    get exitCode() {
      return exitCode;
    },
    get crash() {
      return crash;
    },
    lastWords: undefined,
  };

  function end(code: ExitCode): void {
    if (exitCode !== undefined) return;
    exitCode = code;
    // The timer keeps the process alive: a process with nothing else to wait for ends here, too.
    setTimeout(() => {
      interruption.lastWords?.();
      if (crash) writeNow(`${describeCrash(crash)}\n`);
      process.exit(code);
    }, WIND_UP_MS);
    // Ctrl+C is the user's own cancel; core recognises the other reason by its words (util/program-stop.ts).
    controller.abort(
      code === ExitCode.Interrupted ? undefined : new DOMException('The program stopped.', 'AbortError'),
    );
  }

  function onCrash(reason: unknown): void {
    // An abandoned wait has no caller, and its failure is harmless.
    if (reason instanceof Error && reason.name === 'AbortError') return;
    crash ??= reason instanceof Error ? reason : new Error(String(reason));
    end(ExitCode.Failure);
  }

  for (const [name, code] of Object.entries(SIGNALS))
    process.on(name, () => interruption.postpone?.(name) || end(code));
  process.on('uncaughtException', onCrash);
  process.on('unhandledRejection', onCrash);
  // The process ends with process.exit. An empty event loop means it waits for something that never comes.
  process.once('beforeExit', () => onCrash(new Error('The event loop was empty before the program had finished.')));
  return interruption;
}

export function describeCrash({ stack, message }: Error): string {
  return `castor: this is a bug in Castor, please report it.\n${sanitize(stack ?? message)}`;
}

/** Not through a stream: another writer may block it, and the program no longer waits for it. */
function writeNow(text: string): void {
  try {
    writeSync(2, text);
  } catch {
    // stderr has no reader.
  }
}
