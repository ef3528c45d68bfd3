/**
 * Merges the outputs of several hooks. Strength decides, never order: stop beats all, deny
 * beats ask beats allow. Texts are joined, one per line, except those of a hook that set
 * `suppressOutput`; changes of a request are merged field by field; for other fields the
 * later hook wins. Pure.
 */

import type { HookDecision, HookOutput, HookSpecificOutput, ToolMode } from './hook-events.ts';

export type Verdict = 'deny' | 'ask' | 'allow';

/** The merged output; its `decision` is a Verdict. */
export function mergeOutputs(outputs: readonly HookOutput[]): HookOutput {
  if (outputs.length === 0) return {};
  const stops = outputs.filter((output) => output.continue === false);
  const verdict = strongest(outputs);
  const decided = outputs.filter(({ decision }) => toVerdict(decision) === verdict);
  const reason = lines(decided.map((output) => output.reason));
  const stopReason = lines(stops.map((output) => output.stopReason ?? output.reason));
  const heard = outputs.filter(({ suppressOutput }) => suppressOutput !== true);
  const systemMessage = lines(heard.map((output) => output.systemMessage));
  const specific = mergeSpecific(outputs.flatMap(({ hookSpecificOutput }) => hookSpecificOutput ?? []));
  return {
    ...(stops.length > 0 && { continue: false }),
    ...(stopReason && { stopReason }),
    ...(heard.length === 0 && { suppressOutput: true }),
    ...(systemMessage && { systemMessage }),
    ...(verdict && { decision: verdict }),
    ...(reason && { reason }),
    ...(Object.keys(specific).length > 0 && { hookSpecificOutput: specific }),
  };
}

/** Why hooks stopped or denied an action. */
export function reasonOf({ stopReason, reason }: HookOutput): string {
  return stopReason || reason || 'No reason provided';
}

function toVerdict(decision: HookDecision | undefined): Verdict | undefined {
  if (decision === 'block' || decision === 'deny') return 'deny';
  return decision === 'approve' ? 'allow' : decision;
}

function strongest(outputs: readonly HookOutput[]): Verdict | undefined {
  const verdicts = new Set(outputs.map(({ decision }) => toVerdict(decision)));
  return (['deny', 'ask', 'allow'] as const).find((verdict) => verdicts.has(verdict));
}

function mergeSpecific(all: readonly HookSpecificOutput[]): HookSpecificOutput {
  const { hookEventName: _known, ...merged } = Object.assign({}, ...all) as HookSpecificOutput;
  const additionalContext = lines(all.map((one) => one.additionalContext));
  const toolConfig = mergeToolConfigs(all.flatMap((one) => one.toolConfig ?? []));
  const requests = all.map((one) => one.llm_request).filter((request) => request !== undefined);
  return {
    ...merged,
    ...(requests.length > 0 && { llm_request: requests.reduce(mergeRequests) }),
    ...(additionalContext && { additionalContext }),
    ...(toolConfig && { toolConfig }),
    ...(all.some(({ clearContext }) => clearContext) && { clearContext: true }),
  };
}

/** The later change wins, also field by field in `config`: fields a hook did not set stay. */
export function mergeRequests(earlier: object, later: object): Record<string, unknown> {
  const configs = [earlier, later].map((one) => (one as { config?: unknown }).config);
  const config = configs.every((one) => typeof one === 'object' && one !== null)
    ? { config: Object.assign({}, ...configs) as object }
    : {};
  return { ...earlier, ...later, ...config };
}

/** The narrowest mode wins; the names are merged. */
function mergeToolConfigs(
  configs: readonly NonNullable<HookSpecificOutput['toolConfig']>[],
): HookSpecificOutput['toolConfig'] {
  if (configs.length === 0) return undefined;
  const modes = new Set(configs.map(({ mode }) => mode));
  const mode: ToolMode = (['NONE', 'ANY'] as const).find((one) => modes.has(one)) ?? 'AUTO';
  const names = new Set(configs.flatMap(({ allowedFunctionNames = [] }) => allowedFunctionNames));
  return { mode, ...(mode !== 'NONE' && names.size > 0 && { allowedFunctionNames: [...names].toSorted() }) };
}

function lines(texts: readonly (string | undefined)[]): string {
  return texts.filter(Boolean).join('\n');
}
