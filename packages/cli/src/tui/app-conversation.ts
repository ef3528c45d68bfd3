/**
 * The conversation of the app: shows it, notifies listeners of its state, and asks the user when it cannot continue.
 */

import { setImmediate as afterInput } from 'node:timers/promises';
import { UnauthorizedError, getErrorMessage } from '@castor/core';
import type { AgentEvent, PromptEndedEvent } from '@castor/core';
import { Conversation } from '../surface/conversation.ts';
import type { App } from './app.ts';
import { askAboutLoop } from './dialogs/loop-question.ts';
import { renderUser } from './render/transcript-item.ts';
import { StreamProcessingStatus, toStreamProcessingStatus } from './stream-processing-status.ts';

const ENDS = { [StreamProcessingStatus.Completed]: 'Done', [StreamProcessingStatus.Error]: 'Stopped' } as const;

/** How long events may be processed before the keyboard is read. */
const SLICE_MS = 12;

export function createAppConversation(app: App): Conversation {
  return new Conversation({
    joinsQueue: true,
    live: async () => {
      const live = await app.link.live();
      app.state.model = live.agent.requestedModel();
      return live;
    },
    // Loaded when the first text is submitted, or when the program is idle.
    read: async (given, signal) => (await import('./read-text.ts')).readText(app, given, signal),
    runBeside: async (text) => (await import('./read-text.ts')).runBeside(app, text),
    show: createShow(app),
    onChange: () => onChange(app),
    onError: (error, signal) => explain(app, error, signal),
    onUnsent: (text) => app.composer.isEmpty() && app.composer.setText(text),
    onIdle: (outcome) => {
      const status = toStreamProcessingStatus(outcome);
      // A user who cancelled is at the screen.
      if (status !== StreamProcessingStatus.UserCancelled) app.onAttention?.(ENDS[status]);
    },
    onLoop: (signal) => decideOnLoop(app, signal),
    onWaits: (text) => giveBack(app, text),
    steers: () => app.state.start?.settings.experimental.modelSteering ?? false,
    onSteered: (text) => app.print(['', ...renderUser(text, { styles: app.appearance.styles, width: app.width })]),
    takeFeedback: () => takeFeedback(app),
    endsItself: () => app.state.isChoosing,
  });
}

/** A large batch of events must not delay keys and frames. */
function createShow(app: App): (event: AgentEvent) => Promise<void> | undefined {
  let sliceEnd = 0;
  return (event) => {
    app.store.dispatch(event);
    if (event.type === 'prompt_ended' && event.parentCallId === undefined) offerModel(app, event);
    if (event.type === 'prompt_started') sliceEnd = performance.now() + SLICE_MS;
    if (performance.now() < sliceEnd) return undefined;
    return afterInput().then(() => {
      sliceEnd = performance.now() + SLICE_MS;
    });
  };
}

function onChange({ conversation, state, screen, isSpoken, onStateChange }: App): void {
  const { isBusy } = conversation;
  if (isBusy) state.promptStartedAt ??= performance.now();
  else state.promptStartedAt = undefined;
  screen.animate(isBusy && !isSpoken);
  onStateChange?.();
  screen.refresh();
}

function explain(app: App, error: unknown, signal: AbortSignal): void {
  if (error instanceof UnauthorizedError) onUnauthorized(app);
  else if (!signal.aborted) app.fail(getErrorMessage(error));
}

/** The transcript has the reason, and the prompt stays in the history; a valid key is needed first. */
function onUnauthorized(app: App): void {
  setImmediate(() => !app.conversation.isBusy && app.submitQuery('/auth'));
}

/** Without credit, or without the model, another one is needed. No model of another provider replaces it by itself. */
function offerModel(app: App, { error }: PromptEndedEvent): void {
  if (error?.reason !== 'quota' && error?.reason !== 'not_found') return;
  void import('@castor/core/program').then(({ parseProviderModel }) => {
    if (!parseProviderModel(app.state.model ?? '')) return;
    setImmediate(() => !app.conversation.isBusy && app.submitQuery('/model'));
  });
}

/** A command that has to wait: if queued, it would become part of a prompt. */
function giveBack(app: App, text: string): void {
  if (app.composer.isEmpty()) app.composer.setText(text);
  app.toast(`${text.trim().split(/\s/, 1)[0]} is not available while the agent works.`);
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
