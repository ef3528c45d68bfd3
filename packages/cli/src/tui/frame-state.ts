/** Collects from the app what the frame shows at this moment. It decides nothing. */

import { hostname } from 'node:os';
import type { PendingCall } from '@castor/core';
import type { App } from './app.ts';
import type { FrameState } from './frame-layout.ts';
import type { AppState } from './app-state.ts';
import { pendingCalls } from './client-calls.ts';
import { geminiStreamOf } from './gemini-stream.ts';
import { keyOf } from './dialogs/key-hint.ts';
import { phraseAt } from './loading-phrases.ts';
import { footerItems } from './render/footer-items.ts';
import type { FooterItem } from '../footer-item-names.ts';
import type { ScreenPicture } from './render/screen-rows.ts';
import type { FooterState } from './render/status-rows.ts';

/** Most prompts are sent sooner; a row that comes and goes would blink. */
const PREPARING_MS = 250;

export function frameStateOf(
  app: App,
  given: Pick<FrameState, 'size' | 'answer' | 'isBelowGap' | 'composerHeight'>,
): FrameState {
  const { state } = app;
  const transcript = app.store.getSnapshot();
  const { streamingState, initError, thought } = geminiStreamOf(app.streamPort);
  const { ui } = state.start?.settings ?? {};
  const wait = state.agent?.servers?.wait;
  const elapsedMs = state.promptStartedAt === undefined ? 0 : performance.now() - state.promptStartedAt;
  return {
    ...given,
    styles: app.appearance.styles,
    calls: pendingCalls(transcript.pendingGroup?.calls, app.clientCalls.calls),
    screenOf: (call) => screenOf(app, call),
    initError,
    streaming: streamingState,
    thought: wait || occupationOf(app) || thought?.subject || phraseAt(state.phrases, elapsedMs),
    retry: transcript.retry,
    elapsedMs,
    showsSpinner: ui?.showSpinner ?? true,
    dialog: app.dialogs.top,
    todos: state.showsTodos ? state.todos : [],
    queue: app.conversation.queue,
    preparing: elapsedMs < PREPARING_MS ? undefined : app.conversation.preparing,
    keepsDrawer: ui?.collapseDrawerDuringApproval === false,
    toast: state.toast,
    footer: hasFooter(state) ? footerOf(app) : undefined,
    statusPlace: statusPlaceOf(app),
    focusedCallId: app.shellFocus.callId,
    keyHints: hintsBesideOf(app),
    escapes: wait && 'to skip',
  };
}

/**
 * Where wrapped rows below the cursor move it, the status rows stand above; the alternate screen is drawn from its own
 * corner, so they stay below.
 */
function statusPlaceOf({ options, screen }: App): 'above' | 'below' {
  const { reflow } = options;
  return (reflow === 'rows' || reflow === 'either') && !screen.isWhole ? 'above' : 'below';
}

function hasFooter({ start, isMinimal }: AppState): boolean {
  return !isMinimal && !start?.settings.ui.hideFooter;
}

/** The keys available for the running command. */
export function keyHintsOf({ shellFocus, composer }: App): readonly string[] {
  const { running } = shellFocus;
  if (!running) return [];
  const keymap = composer.getKeymap();
  const tab = running.shell.canType(running.pid) ? keyOf(keymap, 'app.focusShellInput') : undefined;
  const background = keyOf(keymap, 'background.toggle');
  return [tab && `${tab} to type into it`, background && `${background} to background`].filter(
    (hint) => typeof hint === 'string',
  );
}

/** A waiting command shows in its own place how to focus it. */
function hintsBesideOf(app: App): readonly string[] {
  return isCommandWaiting(app) ? [] : keyHintsOf(app);
}

function screenOf(app: App, { pid }: PendingCall): ScreenPicture | undefined {
  return app.commandScreens.get(pid)?.picture(app.screenLook(app.appearance.styles.secondary));
}

function isCommandWaiting({ commandScreens, shellFocus }: App): boolean {
  return commandScreens.get(shellFocus.running?.pid)?.waitingAt !== undefined;
}

/** The activity while no model thinks: a command runs, or waits for input. */
function occupationOf(app: App): string {
  const { clientCalls, store, composer } = app;
  if (isCommandWaiting(app)) {
    const key = keyOf(composer.getKeymap(), 'app.focusShellInput');
    return `Waiting for your input${key === undefined ? '' : `: ${key} to type`}`;
  }
  return clientCalls.calls.length > 0 && !store.getSnapshot().prompt ? 'Running' : '';
}

const BEFORE_SETTINGS: readonly FooterItem[] = ['workspace', 'git-branch', 'model-name'];

function footerOf({ state, store, mode, conversation, options: { cwd, home } }: App): FooterState {
  const isOffline = state.start?.choice.access.kind === 'offline';
  const requested = state.agent?.requestedModel() ?? state.model;
  // A model chosen since the last prompt has not answered yet.
  const answering = requested === state.model ? store.getSnapshot().model : undefined;
  const model = isOffline ? 'offline' : (answering ?? requested);
  const used = state.agent ? state.agent.chat.getLastPromptTokenCount() / state.agent.tokenLimit(model) : 0;
  // Before the settings are read.
  const items = state.start ? footerItems(state.start.settings.ui, used) : BEFORE_SETTINGS;
  return {
    folder: cwd === home ? '~' : cwd.startsWith(`${home}/`) ? `~${cwd.slice(home.length)}` : cwd,
    branch: state.branch,
    model,
    // Less than a hundredth is negligible.
    contextUsed: used >= 0.01 ? used : undefined,
    mode,
    isTrusted: state.start?.trustedFolder !== false,
    queued: conversation.queue.length,
    inBackground: countRunning(state),
    items,
    more: moreOf(items, state),
  };
}

function countRunning({ agent }: AppState): number {
  return agent?.background.list().filter(({ status }) => status === 'running').length ?? 0;
}

/** Looks up only what is shown: this runs for every frame. */
function moreOf(items: readonly FooterItem[], { agent, start }: AppState): Partial<Record<FooterItem, string>> {
  const more: Partial<Record<FooterItem, string>> = {};
  if (items.includes('memory-usage')) more['memory-usage'] = `${Math.round(process.memoryUsage.rss() / 2 ** 20)} MB`;
  if (items.includes('session-id')) more['session-id'] = agent?.session.sessionId ?? '';
  if (items.includes('hostname')) more.hostname = hostname();
  if (items.includes('auth')) more.auth = authOf(start);
  if (items.includes('token-count') && agent) {
    const models = Object.values(agent.ledger.metrics().models);
    more['token-count'] = `${models.reduce((sum, { tokens }) => sum + tokens.total, 0)} tokens`;
  }
  if (items.includes('code-changes') && agent) {
    const { totalLinesAdded, totalLinesRemoved } = agent.ledger.metrics().files;
    more['code-changes'] = `+${totalLinesAdded} -${totalLinesRemoved}`;
  }
  return more;
}

function authOf(start: AppState['start']): string {
  if (start?.choice.access.kind === 'provider') return start.choice.access.named.split('/', 1)[0] ?? '';
  if (!start || start.choice.access.kind !== 'gemini') return start?.choice.access.kind ?? '';
  return start.choice.authType ?? '';
}
