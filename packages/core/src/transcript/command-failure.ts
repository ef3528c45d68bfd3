/**
 * Describes how a command failed, from the data of its result. For the model and scripts such a call is a success
 * with an exit code, as in Gemini CLI; the user must see that it failed.
 */

/** How a command ended, in `data` of its response. */
export interface CommandEnd {
  exitCode: number | null;
  signal?: string;
}

/** Undefined for a command that succeeded, and for results of other tools. */
export function readFailedCommand(data: Readonly<Record<string, unknown>> | undefined): CommandEnd | undefined {
  const { isError, exitCode, signal } = data ?? {};
  if (isError !== true) return undefined;
  return {
    exitCode: typeof exitCode === 'number' ? exitCode : null,
    ...(typeof signal === 'string' && { signal }),
  };
}

/** A short label: `exit 2`, `SIGTERM`, `stopped`. */
export function describeFailedCommand({ exitCode, signal }: CommandEnd): string {
  return signal ?? (exitCode === null ? 'stopped' : `exit ${exitCode}`);
}
