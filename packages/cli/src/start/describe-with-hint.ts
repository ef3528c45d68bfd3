/** Describes an error of core with the flag that helps. Loaded after a failure only. */

import { BudgetError, getErrorMessage, SessionError } from '@castor/core';

/** The error's message, with the flag that helps. */
export function describeWithHint(error: unknown): string {
  const hint = hintFor(error);
  return hint === undefined ? getErrorMessage(error) : `${getErrorMessage(error)} ${hint}`;
}

function hintFor(error: unknown): string | undefined {
  if (error instanceof BudgetError) {
    return error.reason === 'unknown_price' ? 'The flags: --max-cost, --model, --max-tokens.' : undefined;
  }
  if (!(error instanceof SessionError) || error.wanted === undefined) return undefined;
  switch (error.reason) {
    case 'exists':
      return `Use --resume ${error.wanted} to resume it.`;
    case 'locked':
      return 'Or add --fork to resume a copy.';
    case 'invalid':
    case 'not_found':
      return listHint(error.wanted);
  }
}

/** A session of another agent is named with the agent. */
function listHint(wanted: string): string {
  const agent = /^(claude|codex):/.exec(wanted)?.[1];
  return agent === undefined
    ? '--list-sessions lists the sessions of this project.'
    : `castor sessions list --from ${agent} lists them.`;
}
