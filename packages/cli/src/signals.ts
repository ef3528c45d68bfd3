/**
 * What ends the program from outside its own plan: signals, uncaught exceptions,
 * and having nothing left to wait for. Each is one abort, an exit code, and a deadline
 * for winding up. No crash ends without a word.
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
  /** Undefined as long as nothing asked the program to end. */
  readonly exitCode: ExitCode | undefined;
  /** The uncaught exception, if that is the reason. */
  readonly crash: Error | undefined;
  /** Called, without waiting, when winding up took too long; the process ends right after. */
  lastWords: (() => void) | undefined;
}

/** The first reason decides; npm and shells may well send a signal twice. */
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
    // It keeps the process alive: one that has nothing else to wait for ends here, too.
    setTimeout(() => {
      interruption.lastWords?.();
      if (crash) writeNow(`${describeCrash(crash)}\n`);
      process.exit(code);
    }, WIND_UP_MS);
    controller.abort();
  }

  function onCrash(reason: unknown): void {
    // An abandoned wait has no caller, and its failure is harmless.
    if (reason instanceof Error && reason.name === 'AbortError') return;
    crash ??= reason instanceof Error ? reason : new Error(String(reason));
    end(ExitCode.Failure);
  }

  for (const [name, code] of Object.entries(SIGNALS)) process.on(name, () => end(code));
  process.on('uncaughtException', onCrash);
  process.on('unhandledRejection', onCrash);
  // The process ends with process.exit. Whatever gets here waits for something that never comes.
  process.once('beforeExit', () => onCrash(new Error('The event loop was empty before the program had finished.')));
  return interruption;
}

export function describeCrash({ stack, message }: Error): string {
  return `castor: this is a bug in Castor, please report it.\n${sanitize(stack ?? message)}`;
}

/** Not through a stream: another writer may hold it, and the program no longer waits for it. */
function writeNow(text: string): void {
  try {
    writeSync(2, text);
  } catch {
    // stderr has no reader.
  }
}
