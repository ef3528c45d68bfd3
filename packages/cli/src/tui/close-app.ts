/** Closes the app: cancels the running prompt, ends everything it started, and prints the last lines. */

import { getErrorMessage } from '@castor/core';
import { deleteSession, toStreamStats, countOf } from '@castor/core/program';
import type { WorkspaceAgent } from '@castor/core';
import { sanitizeLine } from '../sanitize.ts';
import type { App } from './app.ts';
import { formatSeconds } from './render/status-rows.ts';
import type { Styles } from './theme/styles.ts';

/** The last lines. Never throws. */
export async function closeApp(app: App): Promise<string[]> {
  const { styles } = app.appearance;
  const { agent } = app.state;
  try {
    await app.conversation.settled();
    const ended = agent ? describeEnded(agent, styles) : [];
    await app.link.dispose(app.hurry.signal);
    for (const close of app.onClose) await close();
    if (!agent) return [];
    const { sessionId } = agent.session;
    const hasSpoken = agent.chat.getHistory().some(({ role }) => role === 'model');
    if (app.state.deletesSession) {
      await deleteSession(sessionId, { home: app.options.home, root: app.options.cwd });
      return ['', ...ended, styles.secondary('Agent powering down. Goodbye! The session was deleted.')];
    }
    if (!hasSpoken) return ['', ...ended, styles.secondary('Agent powering down. Goodbye!')];
    const { total_tokens } = toStreamStats(agent.ledger.metrics(), 0);
    const { totalCalls } = agent.ledger.metrics().tools;
    const { usd } = agent.ledger.cost();
    const money = usd === undefined ? '' : ` · $${usd.toFixed(usd < 1 ? 4 : 2)}`;
    const facts = `${formatSeconds(process.uptime())} · ${total_tokens} tokens${money} · ${countOf(totalCalls, 'tool call')}`;
    return [
      '',
      ...ended,
      styles.bold('Agent powering down. Goodbye!'),
      styles.secondary(facts),
      `${styles.secondary('To resume:')} castor --resume ${sessionId}`,
    ];
  } catch (error) {
    return ['', styles.error(`Some processes could not be ended: ${getErrorMessage(error)}`)];
  }
}

/** Background commands do not outlive the program, and the user may have counted on them. */
function describeEnded({ background }: WorkspaceAgent, { warning }: Styles): string[] {
  const running = background.list().filter(({ status }) => status === 'running');
  if (running.length === 0) return [];
  const commands = running.map(({ command }) => sanitizeLine(command)).join(', ');
  return [warning(`Ended ${countOf(running.length, 'background command')}: ${commands}`)];
}
