/** Reports to telemetry how a command ended: its name, never its arguments. */

import type { WorkspaceAgent } from '@castor/core';
import type { CommandResult } from './command.ts';

/** Runs the command. `path` is its whole name, such as `memory show`. */
export async function watchCommand(
  path: string,
  { telemetry }: Pick<WorkspaceAgent, 'telemetry'>,
  run: () => CommandResult | Promise<CommandResult>,
): Promise<CommandResult> {
  try {
    const result = await run();
    const hasFailed = result.type === 'message' && result.messageType === 'error';
    telemetry?.note({ kind: 'slash_command', path, status: hasFailed ? 'error' : 'success' });
    return result;
  } catch (error) {
    telemetry?.note({ kind: 'slash_command', path, status: 'error' });
    throw error;
  }
}
