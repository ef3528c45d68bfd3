/** The hints of the command line for notices and denials of core: which flag or subcommand helps. */

import type { UserHints } from '@castor/core';

/** How a run without a screen resends an interrupted prompt, as a clause. */
export const RESEND_HINT = '--continue resumes it';

const EDITING_TOOLS: ReadonlySet<string> = new Set(['write_file', 'replace', 'apply_patch']);

export const USER_HINTS: Required<UserHints> = {
  acknowledgeAgents: 'To enable them: /agents acknowledge or --acknowledge-agents.',
  trustFolder: 'Trust it, or use --skip-trust for one run.',
  trustPromptFile: 'Trust it, use --skip-trust for one run, or unset GEMINI_SYSTEM_MD.',
  trustHooks: 'Review them with "castor hooks list", then consent with "castor hooks trust".',
  trustServers:
    'To start them as they are now: castor mcp trust, or /mcp trust in a session; --skip-trust starts them for one run.',
  startServers:
    'To start them, trust the folder with /permissions trust in a session, or for one run with --skip-trust.',
  signIn: (server) => `To sign in: castor mcp login ${server}, or /mcp auth ${server} in a session.`,
  signInToAgent: (agent) => `To sign in: /agents auth ${agent} in a session with a terminal.`,
  allowTool(name, mode) {
    const edits = mode === 'default' && EDITING_TOOLS.has(name) ? '--approval-mode auto_edit, ' : '';
    return `The user can allow it with ${edits}--allowed-tools ${name} or -y (all tools), unless a policy rule or setting denies it.`;
  },
  allowCommand: async (remedy) => (await import('./allow-command-hint.ts')).allowCommandHint(remedy),
  allowChangedTool: (name) =>
    `The user can allow it as it is now with --allowed-tools ${name}, or approve it again in a session with a terminal.`,
  allowSkills: 'To allow them in this run: --allowed-tools activate_skill, or -y for all tools.',
  allowServerTools: (patterns) =>
    `To allow them in this run: --allowed-tools '${patterns.join(',')}'; in every run: "trust": true in the server's entry.`,
};
