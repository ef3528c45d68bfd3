/** What the frame shows at this moment, gathered from the app. It reads and decides nothing. */

import { tokenLimit } from '@castor/core';
import type { App } from './app.ts';
import type { FrameState } from './frame-layout.ts';
import type { FooterState } from './render/status-rows.ts';

export function frameStateOf(app: App, given: Pick<FrameState, 'size' | 'answer' | 'composerHeight'>): FrameState {
  const { state } = app;
  const transcript = app.store.getSnapshot();
  const { ui } = state.start?.settings ?? {};
  return {
    ...given,
    styles: app.appearance.styles,
    calls: [...(transcript.pendingGroup?.calls ?? []), ...(state.shellCall ? [state.shellCall] : [])],
    streaming: app.streaming,
    thought: transcript.thought?.thought.subject,
    retry: transcript.retry,
    elapsedMs: state.promptStartedAt === undefined ? 0 : performance.now() - state.promptStartedAt,
    showsSpinner: ui?.showSpinner ?? true,
    dialog: app.dialogs.top,
    todos: state.showsTodos ? state.todos : [],
    queue: app.conversation.queue,
    toast: state.toast,
    footer: ui?.hideFooter ? undefined : footerOf(app),
  };
}

function footerOf({ state, store, mode, conversation, options: { cwd, home } }: App): FooterState {
  const isOffline = state.start?.choice.access.kind === 'offline';
  const model = isOffline ? 'offline' : (store.getSnapshot().model ?? state.model);
  const used = (state.agent?.chat.getLastPromptTokenCount() ?? 0) / tokenLimit(model);
  return {
    folder: cwd === home ? '~' : cwd.startsWith(`${home}/`) ? `~${cwd.slice(home.length)}` : cwd,
    branch: state.branch,
    model,
    // Less than a hundredth is nothing to think about.
    contextUsed: used >= 0.01 ? used : undefined,
    mode,
    isTrusted: state.start?.trustedFolder !== false,
    queued: conversation.queue.length,
  };
}
