/** What a session does about the merged answer of an event's hooks, as a sentence for people. Pure. */

import type { HookEventName, HookOutput, HookSpecificOutput } from '@castor/core';

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
  BeforeAgent: 'the prompt is refused and forgotten: REASON',
  AfterAgent: 'the model goes on, and is told: REASON',
  BeforeModel: 'the request is not sent: REASON',
  AfterModel: 'this part of the answer is not shown, and the prompt ends: REASON',
};

const FIELDS: readonly [HookEventName[], keyof HookSpecificOutput, string][] = [
  [['BeforeAgent', 'SessionStart'], 'additionalContext', 'the model reads the context with the prompt'],
  [['AfterTool'], 'additionalContext', 'the model reads the context with the result'],
  [['AfterTool'], 'tailToolCallRequest', 'another tool takes the call over'],
  [['BeforeTool'], 'tool_input', 'the input is replaced, checked again and judged by the policies'],
  [['BeforeModel'], 'llm_response', 'this is the answer, and no request is sent'],
  [['BeforeModel'], 'llm_request', 'the request is changed before it is sent'],
  [['AfterModel'], 'llm_response', 'other words are shown in place of the answer'],
  [['BeforeToolSelection'], 'toolConfig', 'the model may use only these tools in this way'],
];

export function describeEffect(event: HookEventName, output: HookOutput): string {
  const { hookSpecificOutput: said = {}, systemMessage, suppressOutput } = output;
  const end = describeEnd(event, output);
  const effects = end === undefined ? describeChanges(event, output) : [end];
  if (end !== undefined && event === 'AfterAgent' && said.clearContext) {
    effects.push('the conversation so far is cleared');
  }
  if (systemMessage && !suppressOutput) effects.push('the person is shown the message');
  if (effects.length === 0) return 'none: everything goes on as it was.';
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
  return [...(isAsked ? ['a person is asked, whatever the policies say'] : []), ...changes.map(([, , text]) => text)];
}
