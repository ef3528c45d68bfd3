/**
 * How a command failed, from the data of its result. The model and scripts read such a
 * call as a success with an exit code, as in Gemini CLI; a person must see that it failed.
 */

/** Facts of a command's end, in `data` of its response. */
export interface CommandEnd {
  exitCode: number | null;
  signal?: string;
}

/** Undefined for a command that succeeded, and for results that are not of a command. */
export function readFailedCommand(data: Readonly<Record<string, unknown>> | undefined): CommandEnd | undefined {
  const { isError, exitCode, signal } = data ?? {};
  if (isError !== true) return undefined;
  return {
    exitCode: typeof exitCode === 'number' ? exitCode : null,
    ...(typeof signal === 'string' && { signal }),
  };
}

/** In two words: `exit 2`, `SIGTERM`, `stopped`. */
export function describeFailedCommand({ exitCode, signal }: CommandEnd): string {
  return signal ?? (exitCode === null ? 'stopped' : `exit ${exitCode}`);
}
