/**
 * Switches the session on the screen: to another one, or to the same one with another agent, and reports what the user
 * should know when it is open or failed to open. A session that fails to open does not cost the user the current one.
 */

import { getErrorMessage } from '@castor/core';
import type { WorkspaceAgent } from '@castor/core';
import type { LiveSession } from '../../surface/session-lifecycle.ts';
import type { SessionWish } from '../../surface/session-wish.ts';
import { renderResumeHeader } from '../conversation/resume-header.ts';
import type { App } from './app.ts';
import { showTranscript } from './show-transcript.ts';
import { contextFiles } from './start-facts.ts';

/** Switches to another session, or a new one. Printed lines stay. */
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

/** Reopens the same session with another agent, by the current start; nothing of it is printed again. */
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

/** Printed once, and visible until there is an agent. */
export function failToOpen(app: App, error: unknown): void {
  const message = getErrorMessage(error);
  app.state.initError = message;
  app.fail(message);
}

/** The agent is open: shows its session and what the user should know. */
export function showSession(app: App, { agent, session, interrupted }: LiveSession): void {
  const { state } = app;
  agent.policy.mode = state.mode;
  state.agent = agent;
  agent.shell.showTerminals(app.commandScreens);
  state.recorder = session.recorder;
  state.initError = undefined;
  if (session.origin !== 'new' && !state.isReopening) {
    nameSession(app, session);
    showTranscript(app, session.events());
  }
  // One note: they are about one prompt.
  if (session.notices.length > 0) app.info(session.notices.join('\n'));
  if (!state.isReopening) tellContext(app, agent);
  const { text } = session.interruptedPrompt ?? {};
  if (interrupted) app.conversation.goOn({ parts: interrupted, text: text ?? '' });
  else state.interruptedPrompt = text;
  app.screen.refresh();
}

function nameSession(app: App, { resumed }: LiveSession['session']): void {
  if (!resumed || resumed.messages === 0) return;
  const { title, messages, lastUpdated } = resumed;
  const age = lastUpdated === undefined ? undefined : Date.now() - lastUpdated;
  const look = { styles: app.appearance.styles, width: app.width };
  app.print(['', ...renderResumeHeader({ title, messages, age }, look)]);
}

function tellContext(app: App, { context, workspace }: WorkspaceAgent): void {
  const { start } = app.state;
  if (context.files.length === 0 || start?.settings.ui.hideContextSummary) return;
  // The first lines have named those that every start looks for.
  const named = start ? contextFiles(start) : [];
  if (context.files.every(({ path }) => named.includes(path))) return;
  app.info(`Using ${context.files.map(({ path }) => workspace.relative(path)).join(', ')}.`);
}
