/** The port through which hooks see a request before it leaves and a frame before it is shown. */

import type { GenerateContentParameters, GenerateContentResponse, Tool, ToolConfig } from '../protocol/content.ts';

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

export type BeforeModelDecision = { kind: 'proceed'; request?: GenerateContentParameters } | HookStop | HookBlock;

export type AfterModelDecision = { kind: 'proceed'; response?: GenerateContentResponse } | HookStop | HookBlock;

export interface ToolSelection {
  toolConfig?: ToolConfig;
  tools?: Tool[];
}

/** Every member is optional: an absent one costs nothing per request or frame. */
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
