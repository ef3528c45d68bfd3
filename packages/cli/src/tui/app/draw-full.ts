/** Draws a whole frame with Ink: collects its data, shares the rows, and finds the caret. Loaded together with Ink. */

import { StreamingState } from '@castor/core';
import type { PendingCall } from '@castor/core';
import type { ScreenPicture } from '../command-screen/screen-rows.ts';
import type { FrameData } from '../components/frame-data.ts';
import type { StatusState } from '../components/status-row.ts';
import { activityOf } from '../conversation/activity.ts';
import { pendingCalls } from '../conversation/client-calls.ts';
import { geminiStreamOf } from '../conversation/gemini-stream.ts';
import { keyOf } from '../dialogs/key-hint.ts';
import type { InkView } from '../frame/ink-view.tsx';
import { phraseAt } from '../frame/loading-phrases.ts';
import { caretIn } from '../frame/plain-frame.ts';
import { shareRows } from '../frame/share-rows.ts';
import type { AppState } from './app-state.ts';
import type { App, FullView } from './app.ts';
import { keyHintsOf, modelOf, plainDataOf } from './frame-state.ts';

export function createFullView(app: App, ink: InkView): FullView {
  return {
    draw(lines, size) {
      const { composer, printer } = app;
      const answer = (maxRows: number) => printer?.pendingRows(maxRows, lines.length > 0) ?? [];
      const held = printer?.heldRows() ?? [];
      const data = frameDataOf(app, { size, answer, isBelowGap: printer?.endsInGap ?? false, held });
      const shares = shareRows(data);
      const rows = ink.draw({ data, shares, composer, stream: app.streamPort }, size);
      const isCaretDrawn = app.conversation.isBusy && composer.isEmpty() && !shares.dialog;
      const seam = shares.answer.length > 0 ? printer?.pendingSeam() : undefined;
      return { rows, caret: caretIn(rows, data, shares.dialog), isCaretDrawn, seam };
    },
    close: () => ink.close(),
  };
}

/** Most prompts are sent sooner; a row that comes and goes would blink. */
const PREPARING_MS = 250;

export function frameDataOf(app: App, given: Pick<FrameData, 'size' | 'answer' | 'isBelowGap' | 'held'>): FrameData {
  const { state } = app;
  const transcript = app.store.getSnapshot();
  const { streamingState } = geminiStreamOf(app.streamPort);
  const { ui } = state.start?.settings ?? {};
  const elapsedMs = elapsedOf(state);
  return {
    ...given,
    ...plainDataOf(app, given.size),
    streaming: streamingState,
    calls: pendingCalls(transcript.pendingGroup?.calls, app.clientCalls.calls),
    screenOf: (call) => screenOf(app, call),
    ageOf: (callId) => app.callTimes.ageOf(callId),
    focusedCallId: app.shellFocus.callId,
    todos: state.ui.showsTodos ? state.todos : [],
    queue: app.conversation.queue,
    preparing: elapsedMs < PREPARING_MS ? undefined : app.conversation.preparing,
    keepsDrawer: ui?.collapseDrawerDuringApproval === false,
    status: streamingState === StreamingState.Idle ? undefined : statusOf(app, elapsedMs),
  };
}

function elapsedOf({ promptStartedAt }: AppState): number {
  return promptStartedAt === undefined ? 0 : performance.now() - promptStartedAt;
}

function statusOf(app: App, elapsedMs: number): StatusState {
  const { state, clientCalls, composer } = app;
  const transcript = app.store.getSnapshot();
  const wait = state.agent?.servers?.wait;
  const isWaiting = isCommandWaiting(app);
  const activity = activityOf({
    transcript,
    clientCalls: clientCalls.calls,
    model: modelOf(app),
    phrase: phraseAt(state.phrases, elapsedMs),
    wait,
    waitingKey: isWaiting ? (keyOf(composer.getKeymap(), 'app.focusShellInput') ?? '') : undefined,
    silentMs: state.heardAt === undefined ? 0 : performance.now() - state.heardAt,
  });
  return {
    ...activity,
    elapsedMs,
    keys: [wait ? 'esc skips' : 'esc stops', ...(isWaiting ? [] : keyHintsOf(app))],
    showsSpinner: state.start?.settings.ui.showSpinner ?? true,
  };
}

function screenOf(app: App, { pid }: PendingCall): ScreenPicture | undefined {
  return app.commandScreens.get(pid)?.picture(app.screenLook(app.appearance.styles.secondary));
}

function isCommandWaiting({ commandScreens, shellFocus }: App): boolean {
  return commandScreens.get(shellFocus.running?.pid)?.waitingAt !== undefined;
}
