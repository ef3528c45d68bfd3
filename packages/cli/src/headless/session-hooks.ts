/** SessionStart and SessionEnd of a run without a screen. Costs nothing where no hook is configured. */

import type { WorkspaceAgent } from '@castor/core';
import type { CliArguments } from '../args/args.ts';

type Hooked = Pick<WorkspaceAgent, 'hooks'>;

/** What stands before the first prompt: what the hooks want the model to know, or nothing. */
export async function beginSession({ hooks }: Hooked, args: CliArguments, signal: AbortSignal): Promise<string> {
  if (!hooks) return '';
  const source = args.resume === undefined && !args.continue ? 'startup' : 'resume';
  try {
    const context = await hooks.sessionStart(source, signal);
    return context ? `${context}\n\n` : '';
  } catch {
    // Only an abort is thrown; the prompt ends with it at once.
    return '';
  }
}

/** Tells the hooks, whatever ended the run. */
export async function endSession({ hooks }: Hooked, signal: AbortSignal): Promise<void> {
  await hooks?.sessionEnd('exit', { hurry: signal });
}
