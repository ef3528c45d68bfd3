/** What helps a user behind an editor: no flag can be added to a session there, only to the editor's configuration. */

import type { SessionError, UserHints } from '@castor/core';

/** As a clause. */
export const EDITOR_RESEND_HINT = 'send it again to resume it';

export const EDITOR_HINTS: Required<UserHints> = {
  acknowledgeAgents: 'To enable them: /agents acknowledge.',
  trustFolder: 'To trust it, start castor once in a terminal in that folder.',
  trustPromptFile: 'To trust it, start castor once in a terminal in that folder, or unset GEMINI_SYSTEM_MD.',
  trustHooks: 'In a terminal, review them with "castor hooks list", then consent with "castor hooks trust".',
  trustServers: 'To start them as they are now: /mcp trust.',
  startServers: 'To start them, start castor once in a terminal in that folder and trust it.',
  signIn: (server) => `To sign in: /mcp auth ${server}, or castor mcp login ${server} in a terminal.`,
  signInToAgent: (agent) => `To sign in: /agents auth ${agent} in a session with a terminal.`,
  allowTool: () =>
    'The user can allow it when asked, or in another mode of the session, unless a policy rule or setting denies it.',
  allowCommand: () => 'The user can allow it when asked.',
  allowChangedTool: () => 'The user can allow it when asked.',
  allowSkills: 'The user can allow them when asked.',
  allowServerTools: () => 'The user can allow them when asked.',
};

const INSTEAD: Readonly<Record<string, string>> = {
  clear: 'Open a new session in your editor instead.',
  new: 'Open a new session in your editor instead.',
  resume: 'Open the list of sessions of your editor instead.',
  chat: 'Open the list of sessions of your editor instead.',
  quit: 'Close the session in your editor instead.',
};

/** About a slash command that only a terminal can carry out. */
export function commandHint(path: string): string {
  const [name = ''] = path.split(' ');
  return (Object.hasOwn(INSTEAD, name) && INSTEAD[name]) || 'Start castor in a terminal to use it.';
}

/** Why a session cannot be opened, and what helps. */
export function describeSessionError(error: SessionError): string {
  return [error.message, sessionHint(error)].filter(Boolean).join(' ');
}

function sessionHint({ reason, wanted }: SessionError): string | undefined {
  if (wanted === undefined) return undefined;
  switch (reason) {
    case 'exists':
      return 'Open it from the list of sessions of your editor.';
    case 'locked':
      return 'Or close it where it is open, then load it again; a new session does not need it.';
    case 'invalid':
    case 'not_found':
      return 'The list of sessions of your editor has those that can be loaded.';
  }
}
