/**
 * The conversation of the app: shows it, notifies listeners of its state, and asks the user when it cannot continue.
 */

import { setImmediate as afterInput } from 'node:timers/promises';
import { UnauthorizedError, getErrorMessage } from '@castor/core';
import type { AgentEvent, PromptEndedEvent } from '@castor/core';
import { Conversation } from '../../surface/conversation.ts';
import type { App } from './app.ts';
import { withoutDots } from '../text/without-dots.ts';
import { wrapRows } from '../text/wrap-rows.ts';
import { askAboutLoop } from '../dialogs/loop-question.ts';
import { printReceipt } from './print-receipt.ts';
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
    onSteered: (text) => app.print(['', ...(app.printer?.user(text) ?? [])]),
    takeFeedback: () => takeFeedback(app),
    endsItself: () => app.state.isChoosing,
  });
}

/** A large batch of events must not delay keys and frames. */
function createShow(app: App): (event: AgentEvent) => Promise<void> | undefined {
  let sliceEnd = 0;
  return (event) => {
    app.state.heardAt = performance.now();
    app.store.dispatch(event);
    if (event.type === 'prompt_ended' && event.parentCallId === undefined) {
      printReceipt(app, event, spentOn(app));
      tellWayOut(app, event);
      offerModel(app, event);
    }
    if (event.type === 'prompt_started') {
      sliceEnd = performance.now() + SLICE_MS;
      if (event.parentCallId === undefined) {
        beginReceipt(app);
        printTurnNotes(app);
      }
    }
    if (performance.now() < sliceEnd) return undefined;
    return afterInput().then(() => {
      sliceEnd = performance.now() + SLICE_MS;
    });
  };
}

/** Below the message, which the store has by now. */
function printTurnNotes(app: App): void {
  const rows = app.state.turnNotes?.() ?? [];
  app.state.turnNotes = undefined;
  if (rows.length > 0) app.print(rows);
}

function beginReceipt({ state, printer }: App): void {
  printer?.beginReceipt();
  state.lastCalls = [];
  state.receiptFrom = performance.now();
  state.costBefore = state.agent?.ledger.cost().usd ?? 0;
}

/** On the prompt that is ending. */
function spentOn({ state }: App): { ms: number; usd: number | undefined } {
  const cost = state.agent?.ledger.cost().usd;
  const usd = cost === undefined ? undefined : cost - state.costBefore;
  return { ms: performance.now() - state.receiptFrom, usd };
}

/** A failed prompt says what next, and where its details are. */
function tellWayOut(app: App, { outcome, error }: PromptEndedEvent): void {
  const { report } = app.state;
  app.state.report = undefined;
  if (outcome !== 'failed') return;
  const other = error?.reason === 'unauthorized' ? '/auth for another key' : '/model for another one';
  const next = `${other} · /bug keeps what led to it`;
  const rows = [next, ...(report === undefined ? [] : [`details: ${report}`])];
  const { secondary } = app.appearance.styles;
  const inset = { width: app.width, first: '  ', rest: '  ' };
  app.print(rows.flatMap((row) => (app.isSpoken ? [withoutDots(row)] : wrapRows(secondary(row), inset))));
}

function onChange({ conversation, state, screen, isSpoken, onStateChange }: App): void {
  const { isBusy } = conversation;
  if (isBusy) state.promptStartedAt ??= performance.now();
  else {
    state.promptStartedAt = undefined;
    state.heardAt = undefined;
  }
  screen.animate(isBusy && !isSpoken);
  onStateChange?.();
  screen.refresh();
}

function explain(app: App, error: unknown, signal: AbortSignal): void {
  if (error instanceof UnauthorizedError) void import('./way-out.ts').then(({ askForKey }) => askForKey(app));
  else if (!signal.aborted) app.fail(getErrorMessage(error));
}

/** Without credit, or without the model, another one is needed. */
function offerModel(app: App, { error }: PromptEndedEvent): void {
  if (error?.reason !== 'quota' && error?.reason !== 'not_found') return;
  void import('./way-out.ts').then((wayOut) => wayOut.offerModel(app));
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
