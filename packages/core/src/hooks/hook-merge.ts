/**
 * The answers of several hooks as one. Strength decides, never order: stop beats all,
 * deny beats ask beats allow. Texts add up, one a line; of other fields the later
 * hook's counts. Pure.
 */

import type { HookDecision, HookOutput, HookSpecificOutput, ToolMode } from './hook-events.ts';

export type Verdict = 'deny' | 'ask' | 'allow';

/** The outputs as one; `decision` is then a Verdict. */
export function mergeOutputs(outputs: readonly HookOutput[]): HookOutput {
  if (outputs.length === 0) return {};
  const stops = outputs.filter((output) => output.continue === false);
  const verdict = strongest(outputs);
  const decided = outputs.filter(({ decision }) => toVerdict(decision) === verdict);
  const reason = lines(decided.map((output) => output.reason));
  const stopReason = lines(stops.map((output) => output.stopReason ?? output.reason));
  const systemMessage = lines(outputs.map((output) => output.systemMessage));
  const specific = mergeSpecific(outputs.flatMap(({ hookSpecificOutput }) => hookSpecificOutput ?? []));
  return {
    ...(stops.length > 0 && { continue: false }),
    ...(stopReason && { stopReason }),
    ...(outputs.some(({ suppressOutput }) => suppressOutput) && { suppressOutput: true }),
    ...(systemMessage && { systemMessage }),
    ...(verdict && { decision: verdict }),
    ...(reason && { reason }),
    ...(Object.keys(specific).length > 0 && { hookSpecificOutput: specific }),
  };
}

/** Why something was stopped or refused. */
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
  return {
    ...merged,
    ...(additionalContext && { additionalContext }),
    ...(toolConfig && { toolConfig }),
    ...(all.some(({ clearContext }) => clearContext) && { clearContext: true }),
  };
}

/** The narrowest mode wins; the names add up. */
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
