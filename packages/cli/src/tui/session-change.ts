/**
 * Which session is on the screen: another one, the same one with another agent, and what
 * a person is told when one is open or cannot be. A session that cannot be opened costs
 * no user the current one.
 */

import { getErrorMessage } from '@castor/core';
import type { WorkspaceAgent } from '@castor/core';
import type { LiveSession } from '../surface/session-lifecycle.ts';
import type { SessionWish } from '../surface/session-wish.ts';
import type { App } from './app.ts';

/** Goes on with another session, or a new one. What was printed stays. */
export async function changeSession(app: App, wish: SessionWish): Promise<void> {
  const { start, agent } = app.state;
  if (!start) return;
  app.startOver();
  try {
    await app.link.open(start, wish);
  } catch (error) {
    app.fail(getErrorMessage(error));
    await openAgain(app, agent);
  }
}

/** The same session with another agent, as the start now says; nothing of it is shown again. */
export function reopenSession(app: App): Promise<void> {
  return openAgain(app, app.state.agent);
}

async function openAgain(app: App, agent: WorkspaceAgent | undefined): Promise<void> {
  const { start } = app.state;
  if (!start) return;
  const hasWords = agent?.chat.getHistory().some(({ role }) => role === 'model') ?? false;
  app.state.isReopening = hasWords;
  try {
    await app.link.open(start, agent && hasWords ? { resume: agent.session.sessionId } : {});
  } catch (error) {
    failToOpen(app, error);
  } finally {
    app.state.isReopening = false;
  }
}

/** Said once, and in sight until there is an agent. */
export function failToOpen(app: App, error: unknown): void {
  const message = getErrorMessage(error);
  app.state.initError = message;
  app.fail(message);
}

/** The agent is there: what was said in its session, and what a person should know. */
export function showSession(app: App, { agent, session, interrupted }: LiveSession): void {
  const { state } = app;
  agent.policy.mode = state.mode;
  state.agent = agent;
  agent.shell.showTerminals(app.commandScreens);
  state.recorder = session.recorder;
  state.initError = undefined;
  if (session.origin !== 'new' && !state.isReopening) app.store.dispatchAll(session.events());
  for (const notice of session.notices) app.info(notice);
  if (!state.isReopening) tellContext(app, agent);
  const { text } = session.interruptedPrompt ?? {};
  if (interrupted) app.conversation.goOn({ parts: interrupted, text: text ?? '' });
  else state.interruptedPrompt = text;
  app.screen.refresh();
}

function tellContext(app: App, { context, workspace }: WorkspaceAgent): void {
  if (context.files.length === 0 || app.state.start?.settings.ui.hideContextSummary) return;
  app.info(`Using ${context.files.map(({ path }) => workspace.relative(path)).join(', ')}.`);
}
