/** What the tools may do without asking, from flags; and where the user's own files are. It decides and reads nothing. */

import { homedir } from 'node:os';
import type { CliArguments } from './args.ts';
import { ExitCode, ExitError } from './exit-codes.ts';

/** Spelled as on the command line; `core` knows them by other names. */
const MODES = { default: 'default', auto_edit: 'autoEdit', yolo: 'yolo', plan: 'plan' } as const;

export interface Approval {
  mode: (typeof MODES)[keyof typeof MODES];
  /** Absent: the policies alone decide. Empty: no tool may run. */
  allowedTools?: readonly string[];
  policyPaths?: readonly string[];
  adminPolicyPaths?: readonly string[];
  includeDirectories?: readonly string[];
}

/** Throws an ExitError for a mode there is none of. */
export function chooseApproval(args: CliArguments): Approval {
  const { yolo, approvalMode = yolo ? 'yolo' : 'default', allowedTools, policy, adminPolicy } = args;
  if (!Object.hasOwn(MODES, approvalMode)) {
    const known = Object.keys(MODES).join(', ');
    throw new ExitError(
      ExitCode.Failure,
      `--approval-mode must be one of ${known}, not ${JSON.stringify(approvalMode)}.`,
    );
  }
  return {
    mode: MODES[approvalMode as keyof typeof MODES],
    ...(allowedTools && { allowedTools: allowedTools.filter((name) => name !== '') }),
    ...(policy && { policyPaths: policy }),
    ...(adminPolicy && { adminPolicyPaths: adminPolicy }),
    ...(args.includeDirectories && { includeDirectories: args.includeDirectories }),
  };
}

/** `GEMINI_CLI_HOME` if it is set, else the user's own. */
export function homeDirectory(env: Readonly<Record<string, string | undefined>>): string {
  return env['GEMINI_CLI_HOME'] || homedir();
}
