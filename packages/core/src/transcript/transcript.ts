/**
 * Transcript: the user's view of a session, as a value. Committed items are final and keep their identity, so a
 * surface prints each once; pending items are the few that still change. Types, the empty value and how an item is
 * committed; reduce.ts turns events into state.
 */

import type { StructuredError } from '../protocol/errors.ts';
import type { AgentEventType, FallbackRequestedEvent, Outcome } from '../protocol/agent-events.ts';
import type { CompressionStatus, RetryValue, ThoughtSummary } from '../protocol/events.ts';
import type { ToolCallDisplay, ToolCallStatus } from '../protocol/tool-calls.ts';
import type {
  ChangedFiles,
  FileDiff,
  ToolCallConfirmationDetails,
  ToolErrorType,
  ToolKind,
  ToolLocation,
  ToolResultDisplay,
} from '../protocol/tools.ts';
import { ItemList } from './item-list.ts';
import type { SplitScan } from './split.ts';

export const MessageType = {
  USER: 'user',
  /** The start of an answer. */
  GEMINI: 'gemini',
  /** The continuation of an answer: no leading mark. */
  GEMINI_CONTENT: 'gemini_content',
  THINKING: 'thinking',
  TOOL_GROUP: 'tool_group',
  INFO: 'info',
  WARNING: 'warning',
  ERROR: 'error',
  MODEL: 'model',
  COMPRESSION: 'compression',
  CITATION: 'citation',
  CANCELLED: 'cancelled',
  /** Text above it is void. */
  WITHDRAWN: 'withdrawn',
} as const;
export type MessageType = (typeof MessageType)[keyof typeof MessageType];

/** A result as shown. For an edit only the diff: whole files would fill the memory of a long session. */
export type ShownDiff = Omit<FileDiff, 'originalContent' | 'newContent'>;
export type ShownResult =
  | Exclude<ToolResultDisplay, FileDiff | ChangedFiles>
  | ShownDiff
  | (Omit<ChangedFiles, 'diffs'> & { readonly diffs?: readonly ShownDiff[] });

export interface ToolCallView {
  readonly callId: string;
  readonly name: string;
  readonly display: ToolCallDisplay;
  readonly status: ToolCallStatus;
  /** The end of the call's output; empty once a result replaces it. */
  readonly output: string;
  /** Characters printed before `output` that are no longer kept. */
  readonly omittedOutput: number;
  readonly pid?: number;
  /** Until the call is committed. */
  readonly args?: Readonly<Record<string, unknown>>;
  /** The question for the user, while the call awaits approval. */
  readonly confirmation?: ToolCallConfirmationDetails;
  readonly result?: ShownResult;
  readonly error?: { readonly message: string; readonly type?: ToolErrorType };
  /** How the command that the call ran failed, such as `exit 2`; the call itself counts as a success. */
  readonly failure?: string;
  readonly outputFile?: string;
  readonly kind?: ToolKind;
  /** The files it touches. */
  readonly locations?: readonly ToolLocation[];
  /** The session that the call runs: a sub-agent's work, kept out of this session's answer. */
  readonly child?: ChildView;
  /** What a sub-agent spent, once it has ended. */
  readonly spent?: SpentByAgent;
}

/** `usd` is missing where a price is unknown. */
export interface SpentByAgent {
  readonly tokens: number;
  readonly usd?: number;
}

/** A child session as its parent's call shows it. */
export interface ChildView {
  /** The end of the child model's text. */
  readonly text: string;
  /** The newest of its calls, in their order; the older ones are counted. */
  readonly calls: readonly PendingCall[];
  readonly omittedCalls: number;
  /** Of its requests so far, without those of its own children. */
  readonly tokens: number;
}

interface ItemFields {
  [MessageType.USER]: { text: string };
  [MessageType.GEMINI]: { text: string };
  [MessageType.GEMINI_CONTENT]: { text: string };
  [MessageType.THINKING]: { thought: ThoughtSummary };
  /** `continues`: the calls were requested together with those of the group before. */
  [MessageType.TOOL_GROUP]: { calls: readonly ToolCallView[]; continues: boolean };
  /** `about` is the event that made the note. */
  [MessageType.INFO]: { text: string; about: AgentEventType };
  [MessageType.WARNING]: { text: string; about: AgentEventType };
  /** `error` and the model that was asked, where a request failed. */
  [MessageType.ERROR]: {
    text: string;
    about: AgentEventType;
    error?: StructuredError | undefined;
    model?: string | undefined;
  };
  [MessageType.MODEL]: { model: string };
  [MessageType.COMPRESSION]: {
    text: string;
    originalTokenCount: number;
    newTokenCount: number;
    compressionStatus: CompressionStatus;
  };
  [MessageType.CITATION]: { text: string };
  [MessageType.CANCELLED]: { text: string };
  /** The answer text of the items from `firstId` to `lastId` is void; a surface may strike it out if it can. */
  [MessageType.WITHDRAWN]: { text: string; firstId: number; lastId: number };
}

/** `id` grows with every item and is never used twice in a transcript. */
export type ItemOf<T extends MessageType> = {
  readonly [M in T]: { readonly id: number; readonly type: M } & Readonly<ItemFields[M]>;
}[T];
export type TranscriptItem = ItemOf<MessageType>;
/** An item before it has its id. */
export type NewItem = { [M in MessageType]: { type: M } & ItemFields[M] }[MessageType];

/** The text of the answer that may still grow. */
export type PendingText = ItemOf<'gemini' | 'gemini_content'> & { readonly scan: SplitScan };

export interface PendingCall extends ToolCallView {
  /** Its `tool_call_response` has arrived. */
  readonly isAnswered: boolean;
  /** A hook requires the user's approval, whatever the mode. */
  readonly forcedAsk?: boolean;
}

/** Calls that are not all answered yet, in the model's order. The first one is unanswered. */
export type PendingGroup = ItemOf<'tool_group'> & { readonly calls: readonly PendingCall[] };

export interface OpenPrompt {
  readonly prompt_id: string;
  /** The user cancelled: the rest of the answer is not shown. */
  readonly isCancelled: boolean;
  /** The outcome that the last note already reported. */
  readonly explained: Outcome | undefined;
}

export type FallbackQuestion = Omit<FallbackRequestedEvent, 'type'>;

export interface Transcript {
  readonly committed: ItemList<TranscriptItem>;
  /** The current thought: for the status line, and committed when another item follows. */
  readonly thought: ItemOf<'thinking'> | undefined;
  readonly pendingText: PendingText | undefined;
  readonly pendingGroup: PendingGroup | undefined;
  readonly prompt: OpenPrompt | undefined;
  /** Committed answer text of the current attempt, which a `retry` would void. */
  readonly attempt: { readonly firstId: number; readonly lastId: number } | undefined;
  /** The failed attempt whose retry is pending. */
  readonly retry: RetryValue | undefined;
  readonly question: FallbackQuestion | undefined;
  /** The model chosen last. */
  readonly model: string | undefined;
  readonly nextId: number;
}

/** Characters of committed items kept in memory. The session log keeps everything. */
const COMMITTED_CAPACITY = 16 * 1024 * 1024;
/** The weight of an item beside its text. */
const ITEM_WEIGHT = 256;

export function createTranscript(): Transcript {
  return {
    committed: ItemList.empty({ weigh: weighItem, capacity: COMMITTED_CAPACITY }),
    thought: undefined,
    pendingText: undefined,
    pendingGroup: undefined,
    prompt: undefined,
    attempt: undefined,
    retry: undefined,
    question: undefined,
    model: undefined,
    nextId: 1,
  };
}

/** The item is final from here on. */
export function commit(state: Transcript, item: NewItem): Transcript {
  return { ...state, committed: state.committed.append({ id: state.nextId, ...item }), nextId: state.nextId + 1 };
}

/** The items a surface draws below the committed ones, in order. The objects are those of the state. */
export function getPendingItems({ thought, pendingText, pendingGroup }: Transcript): TranscriptItem[] {
  return [pendingGroup, thought, pendingText].filter((item) => item !== undefined);
}

function weighItem(item: TranscriptItem): number {
  if ('text' in item) return ITEM_WEIGHT + item.text.length;
  if (item.type === MessageType.TOOL_GROUP) return item.calls.reduce((sum, call) => sum + weighCall(call), ITEM_WEIGHT);
  if (item.type === MessageType.THINKING) return ITEM_WEIGHT + item.thought.description.length;
  return ITEM_WEIGHT;
}

function weighCall({ output, display, result }: ToolCallView): number {
  const text = typeof result === 'string' ? result : result && 'fileDiff' in result ? result.fileDiff : '';
  return ITEM_WEIGHT + output.length + display.description.length + text.length;
}
