import { describe, expect, it } from 'vitest';
import type { HookDecision, HookOutput } from './hook-events.ts';
import { mergeOutputs, reasonOf } from './hook-merge.ts';

describe('mergeOutputs', () => {
  it.each<[(HookDecision | undefined)[], HookDecision | undefined]>([
    [[], undefined],
    [[undefined], undefined],
    [['approve'], 'allow'],
    [['allow', 'ask', 'deny'], 'deny'],
    [['ask', 'block', 'allow', 'allow'], 'deny'],
    [['allow', 'ask', undefined], 'ask'],
    [['ask', 'approve'], 'ask'],
  ])('of %j makes %j, in any order', (decisions, expected) => {
    for (const order of [decisions, decisions.toReversed()]) {
      const outputs = order.map((decision): HookOutput => (decision ? { decision } : {}));
      expect(mergeOutputs(outputs).decision).toBe(expected);
    }
  });

  it('stops when one of many says so, with its reason', () => {
    const merged = mergeOutputs([{ continue: true }, { continue: false, stopReason: 'enough' }, { decision: 'allow' }]);
    expect([merged.continue, reasonOf(merged)]).toEqual([false, 'enough']);
  });

  it('adds up what they say, and of the reasons those of the decision that won', () => {
    expect(
      mergeOutputs([
        { decision: 'deny', reason: 'one', systemMessage: 'a', hookSpecificOutput: { additionalContext: 'x' } },
        { decision: 'allow', reason: 'fine', systemMessage: 'b' },
        { decision: 'block', reason: 'two', hookSpecificOutput: { additionalContext: 'y', clearContext: true } },
      ]),
    ).toEqual({
      decision: 'deny',
      reason: 'one\ntwo',
      systemMessage: 'a\nb',
      hookSpecificOutput: { additionalContext: 'x\ny', clearContext: true },
    });
  });

  it('takes other fields from the later hook', () => {
    const first = { llm_response: { text: 'a' }, tool_input: { x: 1 }, tailToolCallRequest: { name: 'a', args: {} } };
    const second = { llm_response: { text: 'b' }, tool_input: { y: 1 } };
    expect(mergeOutputs([{ hookSpecificOutput: first }, { hookSpecificOutput: second }]).hookSpecificOutput).toEqual({
      ...first,
      ...second,
    });
  });

  it('adds up what they change in a request, field by field', () => {
    const outputs = [
      { model: 'a', config: { temperature: 0, topK: 1 } },
      { messages: [], config: { topK: 2 } },
      { model: 'b' },
    ].map((llm_request) => ({ hookSpecificOutput: { llm_request } }));
    expect(mergeOutputs(outputs).hookSpecificOutput).toEqual({
      llm_request: { model: 'b', messages: [], config: { temperature: 0, topK: 2 } },
    });
  });

  it('keeps the message of a hook although another asked for silence for its own', () => {
    const silent: HookOutput = { suppressOutput: true, systemMessage: 'psst' };
    expect(mergeOutputs([silent, { systemMessage: 'look out' }])).toEqual({ systemMessage: 'look out' });
    expect(mergeOutputs([silent])).toEqual({ suppressOutput: true });
  });

  it.each<[object[], object]>([
    [[{ mode: 'ANY' }, { mode: 'NONE', allowedFunctionNames: ['a'] }], { mode: 'NONE' }],
    [
      [
        { mode: 'ANY', allowedFunctionNames: ['b'] },
        { mode: 'AUTO', allowedFunctionNames: ['a', 'b'] },
      ],
      { mode: 'ANY', allowedFunctionNames: ['a', 'b'] },
    ],
    [[{ allowedFunctionNames: ['b', 'a'] }], { mode: 'AUTO', allowedFunctionNames: ['a', 'b'] }],
  ])('of the tool choices %j makes %j', (configs, toolConfig) => {
    const outputs = configs.map((config) => ({ hookSpecificOutput: { toolConfig: config } }));
    expect(mergeOutputs(outputs).hookSpecificOutput).toEqual({ toolConfig });
  });

  it('has a reason also when no hook gave one', () => {
    expect([reasonOf({}), reasonOf({ reason: 'r' }), reasonOf({ reason: 'r', stopReason: 's' })]).toEqual([
      'No reason provided',
      'r',
      's',
    ]);
  });
});
