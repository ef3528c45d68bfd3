/** Closes the app: cancels the running prompt, ends everything it started, and prints the last lines. */

import { getErrorMessage } from '@castor/core';
import { deleteSession, countOf } from '@castor/core/program';
import type { WorkspaceAgent } from '@castor/core';
import { sanitizeLine } from '../../sanitize.ts';
import { describeRefused, refusedConnections } from '../../start/airgap.ts';
import type { App } from './app.ts';
import { renderExit } from '../conversation/exit-summary.ts';
import type { Styles } from '../theme/styles.ts';

/** The last lines. Never throws. */
export async function closeApp(app: App): Promise<string[]> {
  const { styles } = app.appearance;
  const { agent } = app.state;
  try {
    await app.conversation.settled();
    const running = agent ? describeEnded(agent, styles) : [];
    await app.link.dispose(app.hurry.signal);
    const ended = [...running, ...describeAirgap(styles)];
    for (const close of app.onClose) await close();
    if (!agent) return [];
    const { sessionId } = agent.session;
    const hasSpoken = agent.chat.getHistory().some(({ role }) => role === 'model');
    if (app.state.deletesSession) {
      await deleteSession(sessionId, { home: app.options.home, root: app.options.cwd });
      await (await import('../../start/collect-undo.ts')).collectUndo(app.options);
      return ['', styles.secondary('The session was deleted.'), ...ended];
    }
    if (!hasSpoken) return ended.length > 0 ? ['', ...ended] : [];
    return ['', ...describeSession(app, agent), ...ended];
  } catch (error) {
    return ['', styles.error(`Some processes could not be ended: ${getErrorMessage(error)}`)];
  }
}

function describeSession(app: App, { ledger, session }: WorkspaceAgent): string[] {
  const { tools, files } = ledger.metrics();
  const spent = {
    sessionId: session.sessionId,
    ms: Date.now() - app.startedAt,
    calls: tools.totalCalls,
    files: app.state.changedFiles.size,
    added: files.totalLinesAdded,
    removed: files.totalLinesRemoved,
    usd: ledger.cost().usd,
  };
  return renderExit(spent, app.appearance.styles);
}

function describeAirgap({ warning }: Styles): string[] {
  const refused = refusedConnections() ?? [];
  return refused.length === 0 ? [] : [warning(sanitizeLine(describeRefused(refused)))];
}

/** Background commands do not outlive the program, and the user may have counted on them. */
function describeEnded({ background }: WorkspaceAgent, { warning }: Styles): string[] {
  const running = background.list().filter(({ status }) => status === 'running');
  if (running.length === 0) return [];
  const commands = running.map(({ command }) => sanitizeLine(command)).join(', ');
  return [warning(`Ended ${countOf(running.length, 'background command')}: ${commands}`)];
}
