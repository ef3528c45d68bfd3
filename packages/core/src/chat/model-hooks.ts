/** The port through which hooks see a request before it leaves and a frame before it is shown. */

import type { GenerateContentParameters, GenerateContentResponse, Tool, ToolConfig } from '../protocol/content.ts';
import { StreamEventType } from './stream-events.ts';
import type { StreamEvent } from './stream-events.ts';

/** The whole prompt ends here. */
export interface HookStop {
  kind: 'stop';
  reason: string;
}

/** This request or answer is refused; `response` is shown in its place. */
export interface HookBlock {
  kind: 'block';
  reason: string;
  response?: GenerateContentResponse;
}

/** The model is not asked: this is its answer, and it remembers it as one. */
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
 * Every member is optional: an absent one costs nothing per request or frame. One that
 * throws counts as having nothing to say; only an abort ends the send.
 */
export interface ModelHooks {
  beforeModel?(request: GenerateContentParameters, signal: AbortSignal): Promise<BeforeModelDecision>;
  beforeToolSelection?(request: GenerateContentParameters, signal: AbortSignal): Promise<ToolSelection | undefined>;
  /** Called for each frame in order. What goes into the history is the frame as it arrived. */
  afterModel?(
    request: GenerateContentParameters,
    response: GenerateContentResponse,
    signal: AbortSignal,
  ): Promise<AfterModelDecision>;
}

/** What is shown of a send that a hook ended. */
export function* endByHook(decision: HookStop | HookBlock, hook: 'BeforeModel' | 'AfterModel'): Generator<StreamEvent> {
  const { reason } = decision;
  if (decision.kind === 'stop') {
    yield { type: StreamEventType.AGENT_EXECUTION_STOPPED, reason, hook };
    return;
  }
  yield { type: StreamEventType.AGENT_EXECUTION_BLOCKED, reason, hook };
  if (decision.response) yield { type: StreamEventType.CHUNK, value: finished(decision.response) };
}

/** A synthetic answer is a whole one. */
export function finished(response: GenerateContentResponse): GenerateContentResponse {
  const candidates = response.candidates?.map((candidate) => ({ finishReason: 'STOP', ...candidate }));
  return { ...response, ...(candidates && { candidates }) };
}
