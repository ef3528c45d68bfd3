/** The hints of the command line: which flag or subcommand solves a problem that core reports. */

import { BudgetError, getErrorMessage, SessionError } from '@castor/core';
import type { UserHints } from '@castor/core';

/** How a run without a screen resends an interrupted prompt, as a clause. */
export const RESEND_HINT = '--continue resumes it';

const EDITING_TOOLS: ReadonlySet<string> = new Set(['write_file', 'replace']);

export const USER_HINTS: Required<UserHints> = {
  trustFolder: 'Trust it, or use --skip-trust for one run.',
  trustPromptFile: 'Trust it, use --skip-trust for one run, or unset GEMINI_SYSTEM_MD.',
  trustHooks: 'Review them with "castor hooks list", then consent with "castor hooks trust".',
  allowTool(name, mode) {
    const edits = mode === 'default' && EDITING_TOOLS.has(name) ? '--approval-mode auto_edit, ' : '';
    return `The user can allow it with ${edits}--allowed-tools ${name} or -y (all tools), unless a policy rule or setting denies it.`;
  },
};

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
      return '--list-sessions lists the sessions of this project.';
  }
}
