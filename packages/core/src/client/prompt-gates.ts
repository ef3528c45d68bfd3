/**
 * The two gates of a prompt, kept by hooks: BeforeAgent lets a request in, AfterAgent lets
 * an answer out. What is known of the prompt between them lives here; the turns do not.
 */

import type { GeminiChat } from '../chat/gemini-chat.ts';
import { createUserContent } from '../chat/parts.ts';
import type { Content, Part } from '../protocol/content.ts';
import { GeminiEventType } from '../protocol/events.ts';
import type { ServerGeminiStreamEvent } from '../protocol/events.ts';
import { tryUntilAborted } from '../util/abort.ts';
import type { AgentHooks } from './agent-hooks.ts';
import { STOP, again } from './continuation.ts';
import type { Continuation } from './continuation.ts';

/** What is known of the prompt under way; dropped when another begins. */
export interface PromptState {
  prompt_id: string;
  text: string;
  /** BeforeAgent has spoken on what is being answered. */
  isAdmitted: boolean;
  responseText: string[];
  stopHookActive: boolean;
  hasContinuedInvalid: boolean;
  /** The model was asked once to go on after an empty turn. */
  hasContinuedSilence: boolean;
}

export interface GateKeepers {
  chat: GeminiChat;
  hooks?: AgentHooks;
  /** What the history begins with when a hook clears it. */
  openingHistory?: readonly Content[];
}

export function openPrompt(prompt_id: string, text: string): PromptState {
  return {
    prompt_id,
    text,
    isAdmitted: false,
    responseText: [],
    stopHookActive: false,
    hasContinuedInvalid: false,
    hasContinuedSilence: false,
  };
}

/** BeforeAgent, once for what is being answered. Undefined: the prompt ends here. */
export async function* admitRequest(
  request: Part[],
  prompt: PromptState,
  { chat, hooks }: GateKeepers,
  signal: AbortSignal,
): AsyncGenerator<ServerGeminiStreamEvent, Part[] | undefined> {
  if (prompt.isAdmitted) return request;
  prompt.isAdmitted = true;
  const decision = await tryUntilAborted(async () => hooks?.beforeAgent?.(prompt.text, signal), signal);
  if (!decision) return request;
  if (decision.kind === 'proceed') {
    const { additionalContext } = decision;
    return additionalContext ? [...request, { text: toHookContext(additionalContext) }] : request;
  }
  const { kind, ...said } = decision;
  const value = { ...said, hook: 'BeforeAgent' };
  if (kind === 'stop') chat.addHistory(createUserContent(request));
  const type = kind === 'stop' ? GeminiEventType.AgentExecutionStopped : GeminiEventType.AgentExecutionBlocked;
  yield { type, value };
  return undefined;
}

/** AfterAgent: the answer is complete, unless a hook sends the model back to it. */
export async function acceptAnswer(
  prompt: PromptState,
  { chat, hooks, openingHistory = [] }: GateKeepers,
  signal: AbortSignal,
): Promise<Continuation> {
  if (!hooks?.afterAgent) return STOP;
  const response = prompt.responseText.filter(Boolean).join('\n') || '[no response text]';
  const input = { prompt: prompt.text, response, stopHookActive: prompt.stopHookActive };
  const decision = await tryUntilAborted(async () => hooks.afterAgent?.(input, signal), signal);
  if (!decision || decision.kind === 'proceed') return STOP;
  const { kind, clearContext = false, ...said } = decision;
  const value = { ...said, hook: 'AfterAgent', ...(clearContext && { contextCleared: true }) };
  if (clearContext) chat.setHistory(openingHistory);
  if (kind === 'stop') return { kind: 'stop', event: { type: GeminiEventType.AgentExecutionStopped, value } };
  prompt.stopHookActive = true;
  prompt.isAdmitted = false;
  prompt.text = decision.reason;
  prompt.responseText = [];
  return again('hook_blocked', decision.reason, { type: GeminiEventType.AgentExecutionBlocked, value });
}

/** Brackets in a hook's words must not close the frame around them. */
export function toHookContext(text: string): string {
  return `<hook_context>${text.replaceAll('<', '&lt;').replaceAll('>', '&gt;')}</hook_context>`;
}
