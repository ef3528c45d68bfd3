/**
 * Passes a request through the hooks that run before it is sent: BeforeModel, which may change it, answer it or end
 * the send, then BeforeToolSelection, which may change the tools the model can call. The chat carries the decision
 * out.
 */

import type { Content, GenerateContentParameters } from '../protocol/content.ts';
import { originOf, withOrigin } from '../protocol/origin.ts';
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
  const changed = decision?.request
    ? withConfig(withOrigins(decision.request, request.contents), { abortSignal: signal })
    : request;
  const selection =
    hooks.beforeToolSelection &&
    (await tryUntilAborted(async () => hooks.beforeToolSelection?.(changed, signal), signal));
  return { kind: 'send', request: selection ? withConfig(changed, selection) : changed };
}

/**
 * A turn that the hook left as it was keeps its origin, also when the hook's copy lacks it; a turn that it rewrote has
 * none. Equal turns are distinguished by their index; one that fits several has none.
 */
function withOrigins(changed: GenerateContentParameters, sent: readonly Content[]): GenerateContentParameters {
  if (changed.contents === sent || !sent.some(originOf)) return changed;
  const before = new Set(sent);
  const after = new Set(changed.contents);
  const copied = sent.filter((content) => content.role === 'model' && !after.has(content));
  const byJson = Map.groupBy(copied, (content) => JSON.stringify(content));
  const contents = changed.contents.map((content, index) => {
    if (content.role !== 'model' || before.has(content)) return content;
    const equal = byJson.get(JSON.stringify(content)) ?? [];
    const atPlace = equal.findIndex((each) => each === sent[index]);
    if (atPlace < 0 && equal.length !== 1) return withOrigin(content, undefined);
    const [original = content] = equal.splice(Math.max(0, atPlace), 1);
    return withOrigin(content, originOf(original));
  });
  return { ...changed, contents };
}

function withConfig(
  request: GenerateContentParameters,
  config: NonNullable<GenerateContentParameters['config']>,
): GenerateContentParameters {
  return { ...request, config: { ...request.config, ...config } };
}
