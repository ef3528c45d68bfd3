/** What the app knows beside the transcript. One place, written by the app alone. */

import type { ApprovalMode, Todo, ToolCallView, WorkspaceAgent } from '@castor/core';
import type { SessionRecorder } from '@castor/core/program';
import type { Start } from '../start/start.ts';
import type { ShownKinds } from './render/transcript-item.ts';

export interface AppState {
  /** Until the settings are read. */
  start: Start | undefined;
  agent: WorkspaceAgent | undefined;
  /** Of the session the agent works in. */
  recorder: SessionRecorder | undefined;
  /** The session that is being opened was on the screen already. */
  isReopening: boolean;
  /** Of the session that was resumed: the words that got no answer, until others are sent. */
  interruptedPrompt: string | undefined;
  mode: ApprovalMode;
  /** Who was asked for when the last prompt began. */
  model: string;
  branch: string | undefined;
  promptStartedAt: number | undefined;
  toast: string | undefined;
  /** Pressed once: the next press leaves. */
  isExitArmed: boolean;
  isClearArmed: boolean;
  isRewindArmed: boolean;
  isMinimalArmed: boolean;
  /** A dialog of the person's own is open: no agent works, and none waits for them. */
  isChoosing: boolean;
  /** Whether the mouse is ours where it can be. */
  hasMouse: boolean;
  /** Answers are shown as they were written. */
  showsRawMarkdown: boolean;
  /** Nothing below the prompt but what must be said. */
  isMinimal: boolean;
  todos: readonly Todo[];
  showsTodos: boolean;
  /** The calls whose results were shown last. */
  lastCalls: readonly ToolCallView[];
  /** Said when calls of the prompt under way were declined. */
  feedback: readonly string[];
  /** Why there is no agent to work with; undefined while it may still come. */
  initError: string | undefined;
  isTerminalFocused: boolean;
  isVim: boolean;
  /** Commands of the user's own that were run, for the ids of their calls. */
  shellCount: number;
  /** `/quit --delete`. */
  deletesSession: boolean;
  show: ShownKinds;
  /** Said while the agent works. */
  phrases: readonly string[];
}

export function createAppState(): AppState {
  return {
    start: undefined,
    agent: undefined,
    recorder: undefined,
    isReopening: false,
    interruptedPrompt: undefined,
    mode: 'default',
    model: '',
    branch: undefined,
    promptStartedAt: undefined,
    toast: undefined,
    isExitArmed: false,
    isClearArmed: false,
    isRewindArmed: false,
    isMinimalArmed: false,
    isChoosing: false,
    hasMouse: true,
    showsRawMarkdown: false,
    isMinimal: false,
    todos: [],
    showsTodos: false,
    lastCalls: [],
    feedback: [],
    initError: undefined,
    isTerminalFocused: true,
    isVim: false,
    shellCount: 0,
    deletesSession: false,
    show: { thinking: false, citations: false, model: false, lineNumbers: true, isCompact: true },
    phrases: [],
  };
}
