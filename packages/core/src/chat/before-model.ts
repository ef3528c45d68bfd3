/**
 * Passes a request through the hooks that run before it is sent: BeforeModel, which may change it, answer it or end
 * the send, then BeforeToolSelection, which may change the tools the model can call. The chat carries the decision
 * out.
 */

import type { GenerateContentParameters } from '../protocol/content.ts';
import { tryUntilAborted } from '../util/abort.ts';
import type { HookAnswer, HookBlock, HookStop, ModelHooks } from './model-hooks.ts';

export type RequestDecision = { kind: 'send'; request: GenerateContentParameters } | HookAnswer | HookStop | HookBlock;

export async function throughBeforeModel(
  request: GenerateContentParameters,
  hooks: ModelHooks,
  signal: AbortSignal,
): Promise<RequestDecision> {
  const decision =
    hooks.beforeModel && (await tryUntilAborted(async () => hooks.beforeModel?.(request, signal), signal));
  if (decision && decision.kind !== 'proceed') return decision;
  // A hook's request went through JSON, which drops the abort signal.
  const changed = decision?.request ? withConfig(decision.request, { abortSignal: signal }) : request;
  const selection =
    hooks.beforeToolSelection &&
    (await tryUntilAborted(async () => hooks.beforeToolSelection?.(changed, signal), signal));
  return { kind: 'send', request: selection ? withConfig(changed, selection) : changed };
}

function withConfig(
  request: GenerateContentParameters,
  config: NonNullable<GenerateContentParameters['config']>,
): GenerateContentParameters {
  return { ...request, config: { ...request.config, ...config } };
}
