/**
 * The two hook gates of a prompt: BeforeAgent admits a request, AfterAgent accepts an answer. This file holds the
 * state of the prompt between them, but not its turns.
 */

import type { GeminiChat } from '../chat/gemini-chat.ts';
import { createUserContent } from '../chat/parts.ts';
import type { Content, Part } from '../protocol/content.ts';
import { GeminiEventType } from '../protocol/events.ts';
import type { ServerGeminiStreamEvent } from '../protocol/events.ts';
import { tryUntilAborted } from '../util/abort.ts';
import type { AgentHooks } from './agent-hooks.ts';
import type { AnswerFormat } from './answer-format.ts';
import { STOP, again } from './continuation.ts';
import type { Continuation } from './continuation.ts';

/** Requests for another answer in one prompt. */
const MAX_REPAIRS = 2;

/** The state of the current prompt; dropped when another starts. */
export interface PromptState {
  prompt_id: string;
  text: string;
  /** BeforeAgent has decided on the request being answered. */
  isAdmitted: boolean;
  responseText: string[];
  stopHookActive: boolean;
  hasContinuedInvalid: boolean;
  /** The model was asked once to continue after an empty turn. */
  hasContinuedSilence: boolean;
  /** The history was compressed once because a request was rejected as too large. */
  hasShrunk: boolean;
  /** How often the model was asked again for an answer in the wanted format. */
  repairs: number;
}

export interface GateKeepers {
  chat: GeminiChat;
  hooks?: AgentHooks;
  /** The format of the last turn's text. */
  answerFormat?: AnswerFormat;
  /** The start of the history after a hook clears it. */
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
    hasShrunk: false,
    repairs: 0,
  };
}

/** The first request of a prompt says how the answer must look. */
export function withFormat(request: Part[], { isAdmitted }: PromptState, { answerFormat }: GateKeepers): Part[] {
  return answerFormat && !isAdmitted ? [...request, { text: answerFormat.instruction }] : request;
}

/** Runs BeforeAgent, once per request being answered. Undefined: the prompt ends here. */
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

/** Checks the format of the answer, then runs AfterAgent: it is complete unless one of them sends the model back to it. */
export async function acceptAnswer(
  answer: string,
  prompt: PromptState,
  { chat, hooks, openingHistory = [], answerFormat }: GateKeepers,
  signal: AbortSignal,
): Promise<Continuation> {
  const problem = answerFormat?.problemOf(answer);
  if (problem !== undefined) return repair(problem, prompt);
  prompt.repairs = 0;
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

/** Asks again, twice at most; then the prompt fails. */
function repair(problem: string, prompt: PromptState): Continuation {
  if (prompt.repairs >= MAX_REPAIRS) {
    const message = `The answer does not match the schema, also after ${MAX_REPAIRS} further requests: ${problem}`;
    return { kind: 'stop', event: { type: GeminiEventType.InvalidStream, value: { type: 'INVALID_ANSWER', message } } };
  }
  prompt.repairs += 1;
  prompt.responseText = [];
  return again(
    'invalid_answer',
    `System: Your last message is not the answer in the required format.\n${problem}\nAnswer again with the JSON and nothing else.`,
  );
}

/** Brackets in a hook's text must not close the frame around it. */
export function toHookContext(text: string): string {
  return `<hook_context>${text.replaceAll('<', '&lt;').replaceAll('>', '&gt;')}</hook_context>`;
}
