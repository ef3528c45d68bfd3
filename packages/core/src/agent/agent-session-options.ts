/** The options of a session: the rooms its loop uses, and what the caller records and limits. */

import type { GeminiChat } from '../chat/gemini-chat.ts';
import type { GeminiClient } from '../client/gemini-client.ts';
import type { AgentEvent } from '../protocol/agent-events.ts';
import type { PartListUnion } from '../protocol/content.ts';
import type { CompletedToolCall } from '../protocol/tool-calls.ts';
import type { Budget } from '../spending/budget.ts';
import type { EventInbox } from './event-inbox.ts';
import type { Ending } from './prompt-ending.ts';
import type { SessionQuestionOptions } from './session-questions.ts';

export interface AgentSessionOptions extends SessionQuestionOptions {
  sessionId: string;
  client: Pick<GeminiClient, 'sendMessageStream'>;
  chat: Pick<GeminiChat, 'addHistory'>;
  /** Ends a prompt between two requests when the budget is spent. */
  budget?: Pick<Budget, 'exceeded' | 'warning' | 'watch'>;
  /** Receives every event before a surface does, and what a prompt that starts will send. Must not throw. */
  record?: (event: AgentEvent, input?: PartListUnion) => void;
  /** Removes secrets from what the user sends, before anything else receives it. */
  concealInput?: ((input: PartListUnion) => PartListUnion) | undefined;
  /** Runs before the first request of every prompt, for example to wait for servers. Ends early on abort. */
  prepare?: ((signal: AbortSignal) => AsyncGenerator<AgentEvent, void>) | undefined;
  /** Whether the completed calls of a turn end the prompt. Default: as in `toStop`. */
  endAfter?: ((completed: readonly CompletedToolCall[]) => Ending | undefined) | undefined;
  /** The inbox that the rooms around the loop post to; by default a new one. */
  inbox?: EventInbox;
  /** One id for all prompts of a one-shot program; by default each prompt has its own. */
  prompt_id?: string;
  /** The number of the first prompt, where the session had prompts before. */
  promptCount?: number;
}
