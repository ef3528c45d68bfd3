/** The port through which hooks see a request before it is sent and a frame before it is shown. */

import type { GenerateContentParameters, GenerateContentResponse, Tool, ToolConfig } from '../protocol/content.ts';
import { StreamEventType } from './stream-events.ts';
import type { StreamEvent } from './stream-events.ts';

/** The hook ends the whole prompt. */
export interface HookStop {
  kind: 'stop';
  reason: string;
}

/** The hook denies this request or answer; `response` is shown in its place. */
export interface HookBlock {
  kind: 'block';
  reason: string;
  response?: GenerateContentResponse;
}

/** The hook answers in place of the model; the history records it as the model's answer. */
export interface HookAnswer {
  kind: 'answer';
  response: GenerateContentResponse;
}

export type BeforeModelDecision =
  | { kind: 'proceed'; request?: GenerateContentParameters }
  | HookAnswer
  | HookStop
  | HookBlock;

export type AfterModelDecision = { kind: 'proceed'; response?: GenerateContentResponse } | HookStop | HookBlock;

export interface ToolSelection {
  toolConfig?: ToolConfig;
  tools?: Tool[];
}

/**
 * Every member is optional: an absent one costs nothing per request or frame. A throwing hook counts as no decision;
 * only an abort ends the send.
 */
export interface ModelHooks {
  beforeModel?(request: GenerateContentParameters, signal: AbortSignal): Promise<BeforeModelDecision>;
  beforeToolSelection?(request: GenerateContentParameters, signal: AbortSignal): Promise<ToolSelection | undefined>;
  /** Called for each frame in order. The history records the frame as received. */
  afterModel?(
    request: GenerateContentParameters,
    response: GenerateContentResponse,
    signal: AbortSignal,
  ): Promise<AfterModelDecision>;
}

/** Yields the events of a send that a hook ended. */
export function* endByHook(decision: HookStop | HookBlock, hook: 'BeforeModel' | 'AfterModel'): Generator<StreamEvent> {
  const { reason } = decision;
  if (decision.kind === 'stop') {
    yield { type: StreamEventType.AGENT_EXECUTION_STOPPED, reason, hook };
    return;
  }
  yield { type: StreamEventType.AGENT_EXECUTION_BLOCKED, reason, hook };
  if (decision.response) yield { type: StreamEventType.CHUNK, value: finished(decision.response) };
}

/** A synthetic answer is complete: it gets a finish reason. */
export function finished(response: GenerateContentResponse): GenerateContentResponse {
  const candidates = response.candidates?.map((candidate) => ({ finishReason: 'STOP', ...candidate }));
  return { ...response, ...(candidates && { candidates }) };
}

/** The AfterModel hook for the frames of an answer; undefined without one. */
export function askAfterModel(
  hooks: ModelHooks | undefined,
  request: GenerateContentParameters,
  signal: AbortSignal,
): ((response: GenerateContentResponse) => Promise<AfterModelDecision>) | undefined {
  if (!hooks?.afterModel) return undefined;
  return async (response) => (await hooks.afterModel?.(request, response, signal)) ?? { kind: 'proceed' };
}
