/** Signals that ask the program to end, as one abort and the exit code that goes with it. */

import { ExitCode } from './exit-codes.ts';

const SIGNALS: Readonly<Record<string, ExitCode>> = {
  SIGINT: ExitCode.Interrupted,
  SIGTERM: ExitCode.Terminated,
  SIGHUP: ExitCode.HungUp,
};

export interface Interruption {
  readonly signal: AbortSignal;
  /** Undefined as long as nothing asked the program to end. */
  readonly exitCode: ExitCode | undefined;
}

/** The first signal decides; npm and shells may well send it twice. */
export function listenForSignals(onInterrupt: (exitCode: ExitCode) => void): Interruption {
  const controller = new AbortController();
  let interrupted: ExitCode | undefined;
  for (const [name, exitCode] of Object.entries(SIGNALS)) {
    process.on(name, () => {
      if (interrupted !== undefined) return;
      interrupted = exitCode;
      onInterrupt(exitCode);
      controller.abort();
    });
  }
  return {
    signal: controller.signal,
    get exitCode() {
      return interrupted;
    },
  };
}
