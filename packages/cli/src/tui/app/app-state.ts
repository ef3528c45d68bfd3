/** The state of the app beside the transcript, in one place. */

import type { ApprovalMode, Todo, ToolCallView, TranscriptItem, WorkspaceAgent } from '@castor/core';
import type { SessionRecorder } from '@castor/core/program';
import type { Start } from '../../start/start.ts';
import { INITIAL_UI } from './ui-state.ts';
import type { UiState } from './ui-state.ts';
import type { ShownKinds } from '../conversation/transcript-item.ts';

export interface AppState {
  /** Undefined until the settings are read. */
  start: Start | undefined;
  agent: WorkspaceAgent | undefined;
  /** The recorder of the session the agent works in. */
  recorder: SessionRecorder | undefined;
  /** Whether the session being opened was on the screen already. */
  isReopening: boolean;
  /** The unanswered prompt of the resumed session, until another is sent. */
  interruptedPrompt: string | undefined;
  mode: ApprovalMode;
  /** The model requested when the last prompt began. */
  model: string;
  branch: string | undefined;
  promptStartedAt: number | undefined;
  /** When the last event of the running prompt arrived. */
  heardAt: number | undefined;
  /** What the session had cost before the running prompt. */
  costBefore: number;
  receiptFrom: number;
  /** Files that calls of this program's prompts changed, for the last rows. */
  readonly changedFiles: Set<string>;
  /** The file about the failed request, if one was written. */
  report: string | undefined;
  /** The line of the user's own command, in place of the footer. */
  statusLine: string | undefined;
  /** Changed through `App.dispatch` only. */
  ui: UiState;
  /** A dialog the user opened is shown: the agent neither works nor waits. */
  isChoosing: boolean;
  /** Whether Castor captures the mouse where it can. */
  hasMouse: boolean;
  todos: readonly Todo[];
  /** The rows below the message of the next prompt, in the styles of then. */
  turnNotes: (() => readonly string[]) | undefined;
  /** The calls whose results were shown last. */
  lastCalls: readonly ToolCallView[];
  /** The user's words when they declined calls of the running prompt. */
  feedback: readonly string[];
  /** Why there is no agent; undefined while it may still open. */
  initError: string | undefined;
  isTerminalFocused: boolean;
  isVim: boolean;
  /** The number of commands the user ran, for the ids of their calls. */
  shellCount: number;
  /** `/quit --delete`. */
  deletesSession: boolean;
  show: ShownKinds;
  /** Shown while the agent works. */
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
    heardAt: undefined,
    costBefore: 0,
    receiptFrom: 0,
    changedFiles: new Set(),
    report: undefined,
    statusLine: undefined,
    ui: INITIAL_UI,
    isChoosing: false,
    hasMouse: true,
    todos: [],
    turnNotes: undefined,
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

/** Calls whose results are kept, to be shown whole. */
const MOST_CALLS = 40;

/** Keeps what a final item of the transcript says about calls and the plan. */
export function noteItem(state: AppState, item: TranscriptItem): void {
  if (item.type !== 'tool_group') return;
  state.lastCalls = [...state.lastCalls, ...item.calls].slice(-MOST_CALLS);
  for (const { result } of item.calls) {
    if (typeof result === 'object' && 'todos' in result) state.todos = result.todos;
  }
}
