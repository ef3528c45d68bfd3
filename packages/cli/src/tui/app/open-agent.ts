/**
 * Opens the agent of a surface with a screen, with its session and an editor for proposals. The heavy half of
 * agent-link.ts.
 */

import { tmpdir } from 'node:os';
import { createEditProposal } from '@castor/core/program';
import { editorCommand } from '../../editor-command.ts';
import type { Start } from '../../start/start.ts';
import { openAgent } from '../../surface/open-agent.ts';
import { LiveSession } from '../../surface/session-lifecycle.ts';
import type { SessionWish } from '../../surface/session-wish.ts';
import type { AgentLinkOptions } from './agent-link-options.ts';

type EditProposal = ReturnType<typeof createEditProposal>;

/** Throws an ExitError with a sentence for the user. */
export async function openLive(
  start: Start,
  wish: SessionWish,
  { onWarning, onInfo, onReport, suspend, asker, ideState }: Omit<AgentLinkOptions, 'onEvent' | 'onOpened'>,
): Promise<LiveSession> {
  const opened = await openAgent({
    start,
    wish,
    interactive: true,
    resendHint: 'up recalls it',
    editProposal: createSuspendedEdit(start, suspend),
    ideState,
    servers: {
      showsWait: true,
      async ask(question, signal) {
        const { askServerQuestion } = await import('../dialogs/server-question.ts');
        asker.onAttention?.('Action required');
        return askServerQuestion(question, asker.dialogs, signal);
      },
    },
    // Every request would fill the screen: only failures are shown.
    debugLog: { levels: ['warn', 'error'], write: onInfo },
    onWarning,
    onReport,
    onNothingLeft: () => onInfo('The session has no interrupted prompt.'),
  });
  return new LiveSession(opened);
}

/** The editor owns the terminal while it runs. */
function createSuspendedEdit({ environment, settings }: Start, suspend: AgentLinkOptions['suspend']): EditProposal {
  const editor = editorCommand(settings.general, environment);
  const edit = createEditProposal({ editor, environment, tempDirectory: tmpdir(), stdio: 'inherit' });
  return async (proposal, signal) => {
    let edited: string | undefined;
    await suspend(async () => {
      edited = await edit(proposal, signal);
    });
    return edited;
  };
}
