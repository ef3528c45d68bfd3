/** The end: what is under way is stopped, what was started is ended, and the last lines say what it came to. */

import { getErrorMessage } from '@castor/core';
import { deleteSession, toStreamStats, countOf } from '@castor/core/program';
import type { App } from './app.ts';
import { formatSeconds } from './render/status-rows.ts';

/** The last lines. Never throws. */
export async function closeApp(app: App): Promise<string[]> {
  const { styles } = app.appearance;
  const { agent } = app.state;
  try {
    await app.conversation.settled();
    await app.link.dispose(app.hurry.signal);
    for (const close of app.onClose) await close();
    if (!agent) return [];
    const { sessionId } = agent.session;
    const hasSpoken = agent.chat.getHistory().some(({ role }) => role === 'model');
    if (app.state.deletesSession) {
      await deleteSession(sessionId, { home: app.options.home, root: app.options.cwd });
      return ['', styles.secondary('Agent powering down. Goodbye! The session was deleted.')];
    }
    if (!hasSpoken) return ['', styles.secondary('Agent powering down. Goodbye!')];
    const { total_tokens } = toStreamStats(agent.ledger.metrics(), 0);
    const { totalCalls } = agent.ledger.metrics().tools;
    const { usd } = agent.ledger.cost();
    const money = usd === undefined ? '' : ` · $${usd.toFixed(usd < 1 ? 4 : 2)}`;
    const facts = `${formatSeconds(process.uptime())} · ${total_tokens} tokens${money} · ${countOf(totalCalls, 'tool call')}`;
    return [
      '',
      styles.bold('Agent powering down. Goodbye!'),
      styles.secondary(facts),
      `${styles.secondary('To resume:')} castor --resume ${sessionId}`,
    ];
  } catch (error) {
    return ['', styles.error(`Some processes could not be ended: ${getErrorMessage(error)}`)];
  }
}
