/** The conversation of the app: who is told how it goes, and what is asked when it cannot go on. */

import { isShellText, isSlashText } from '../slash/command-signs.ts';
import type { App } from './app.ts';
import { takeBeside } from './beside-prompt.ts';
import { Conversation } from './conversation.ts';
import { askAboutLoop } from './dialogs/loop-question.ts';
import { StreamProcessingStatus } from './stream-processing-status.ts';

const ENDS = { [StreamProcessingStatus.Completed]: 'Done', [StreamProcessingStatus.Error]: 'Stopped' } as const;

export function createAppConversation(app: App): Conversation {
  return new Conversation({
    store: () => app.store,
    agent: async () => {
      const agent = await app.link.current();
      app.state.model = agent.requestedModel();
      return agent;
    },
    prepare: (text, signal) => app.options.prepare(app, text, signal),
    onChange: () => onChange(app),
    onUnauthorized: (message) => onUnauthorized(app, message),
    onFailure: (message) => app.fail(message),
    onUnsent: (text) => app.composer.isEmpty() && app.composer.setText(text),
    // The user who cancelled is looking.
    onIdle: (status) => status !== StreamProcessingStatus.UserCancelled && app.onAttention?.(ENDS[status]),
    onLoop: (signal) => decideOnLoop(app, signal),
    beside: (text) => takeBeside(app, text),
    takeFeedback: () => takeFeedback(app),
    endsItself: (text) => isShellText(text) || app.state.isChoosing,
    showsItself: (text) => isSlashText(text) || isShellText(text),
  });
}

function onChange({ conversation, state, screen, isSpoken, onStateChange }: App): void {
  const { isBusy } = conversation;
  if (isBusy) state.promptStartedAt ??= performance.now();
  else state.promptStartedAt = undefined;
  screen.animate(isBusy && !isSpoken);
  onStateChange?.();
  screen.refresh();
}

/** What was asked stays in the history of prompts; first there must be a key that is taken. */
function onUnauthorized(app: App, message: string): void {
  app.fail(`The service rejected the credentials: ${message}`);
  setImmediate(() => !app.conversation.isBusy && app.submitQuery('/auth'));
}

async function decideOnLoop(app: App, signal: AbortSignal): Promise<boolean> {
  app.onAttention?.('Action required');
  const answer = await askAboutLoop(app.dialogs, signal);
  if (answer !== 'disable') return false;
  app.state.agent?.disableLoopDetection();
  app.info('Loop detection is off for this session. Castor sends the request again.');
  return true;
}

function takeFeedback({ state }: App): string | undefined {
  const said = state.feedback.join('\n\n');
  state.feedback = [];
  return said || undefined;
}
