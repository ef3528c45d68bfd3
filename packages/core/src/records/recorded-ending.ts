/** What a recorded response tells of how its call ended. Pure. */

import type { Part } from '../protocol/content.ts';

const EXIT_CODE = /^Exit Code: (-?\d+)$/m;

/** A call the user refused never ran: only its response tells of it. */
export function isRefusal({ functionResponse }: Part): boolean {
  const problem = functionResponse?.response?.['error'];
  return typeof problem === 'string' && problem.startsWith('[Operation Cancelled]');
}

/** How a command failed: by an exit code, or by a signal, whose name may be unknown. */
export function failureOf(exitCode: number | undefined, stoppedBy: string | undefined) {
  if (stoppedBy !== undefined)
    return { data: { exitCode: null, isError: true, ...(stoppedBy !== '' && { signal: stoppedBy }) } };
  return exitCode === undefined ? {} : { data: { exitCode, isError: true } };
}

/** Parsed from the response to the model: Gemini CLI records it nowhere else. */
export function exitCodeIn(said: string | undefined): number | undefined {
  const code = Number(EXIT_CODE.exec(said ?? '')?.[1] ?? 0);
  return code === 0 ? undefined : code;
}
