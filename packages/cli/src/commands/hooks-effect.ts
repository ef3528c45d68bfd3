/** Describes the effect of the merged hook output on a session, as a sentence. Pure. */

import type { HookEventName, HookOutput, HookSpecificOutput } from '@castor/core/program';

const STOPS: ReadonlySet<HookEventName> = new Set([
  'BeforeTool',
  'AfterTool',
  'BeforeAgent',
  'AfterAgent',
  'BeforeModel',
  'AfterModel',
]);

const REFUSALS: Readonly<Partial<Record<HookEventName, string>>> = {
  BeforeTool: 'the call does not run, and the model reads "Tool execution blocked: REASON"',
  AfterTool: 'the model reads "Tool result blocked: REASON" instead of the result',
  BeforeAgent: 'Castor rejects the prompt and removes it from the history: REASON',
  AfterAgent: 'the model continues and reads: REASON',
  BeforeModel: 'the request is not sent: REASON',
  AfterModel: 'this part of the answer is not shown, and the prompt ends: REASON',
};

const FIELDS: readonly [HookEventName[], keyof HookSpecificOutput, string][] = [
  [['BeforeAgent', 'SessionStart'], 'additionalContext', 'the model reads the context with the prompt'],
  [['AfterTool'], 'additionalContext', 'the model reads the context with the result'],
  [['AfterTool'], 'tailToolCallRequest', 'another tool runs the call'],
  [['BeforeTool'], 'tool_input', 'the input is replaced, validated and checked against the policies'],
  [['BeforeModel'], 'llm_response', 'Castor sends no request and uses this answer'],
  [['BeforeModel'], 'llm_request', 'the request is changed before it is sent'],
  [['AfterModel'], 'llm_response', 'other text replaces the answer on the screen'],
  [['BeforeToolSelection'], 'toolConfig', 'the model may use only these tools in this way'],
];

export function describeEffect(event: HookEventName, output: HookOutput): string {
  const { hookSpecificOutput: said = {}, systemMessage, suppressOutput } = output;
  const end = describeEnd(event, output);
  const effects = end === undefined ? describeChanges(event, output) : [end];
  if (end !== undefined && event === 'AfterAgent' && said.clearContext) {
    effects.push('the conversation so far is cleared');
  }
  if (systemMessage && !suppressOutput) effects.push('the user reads the message');
  if (effects.length === 0) return 'none. Castor continues unchanged.';
  const sentence = effects.join('; ');
  return /[.!?]"?$/.test(sentence) ? sentence : `${sentence}.`;
}

function describeEnd(event: HookEventName, output: HookOutput): string | undefined {
  const reason = output.stopReason || output.reason || 'No reason provided';
  if (output.continue === false && STOPS.has(event)) return `the prompt is stopped: ${reason}`;
  return output.decision === 'deny' ? REFUSALS[event]?.replace('REASON', () => reason) : undefined;
}

function describeChanges(event: HookEventName, { decision, hookSpecificOutput: said = {} }: HookOutput): string[] {
  const isAsked = decision === 'ask' && event === 'BeforeTool';
  const changes = FIELDS.filter(([events, field]) => events.includes(event) && said[field] !== undefined);
  return [
    ...(isAsked ? ['Castor asks the user, even where the policies allow the call'] : []),
    ...changes.map(([, , text]) => text),
  ];
}
