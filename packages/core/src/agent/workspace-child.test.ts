/** Sub-agents over a real server: a child's own conversation, its limits, and what its parent is told. */

import { answer, call, say, text } from '@castor/testkit';
import { describe, expect, it } from 'vitest';
import { agentFile, bodyOf, instructionOf, openSubagents, responseOf, sentText, toolsOf } from './subagents.fixture.ts';

const invoke = (agent_name: string, prompt = 'Look into it.', more: Record<string, unknown> = {}, id = 'p') =>
  answer(call('invoke_agent', { agent_name, prompt, ...more }, { id }));
const complete = (result: string) => answer(call('complete_task', { result }, { id: 'done' }));
const REVIEWER = { '.gemini/agents/reviewer.md': agentFile('name: reviewer\ndescription: Reviews code.') };

describe('a sub-agent', () => {
  it('works in a conversation of its own and hands its result to the parent', async () => {
    await using env = await openSubagents(
      {
        main: [invoke('reviewer', 'Review a.ts.'), say('All fine.')],
        reviewer: [
          answer(text('I look.'), call('read_file', { file_path: 'a.ts' }, { id: 'r' })),
          complete('No bugs.'),
        ],
      },
      { files: { 'a.ts': 'const a = 1;' }, homeFiles: REVIEWER },
    );
    const events = await env.ask('Please review.');
    expect(responseOf(events, 'p')['output']).toBe(
      "Subagent 'reviewer' finished.\nTermination Reason: GOAL\nResult:\nNo bugs.",
    );
    const [first, second] = env.requestsOf('reviewer');
    expect(instructionOf(first)).toMatch(/^You review code\./);
    expect(sentText(first)).toContain('Review a.ts.');
    expect(sentText(first)).not.toContain('Please review');
    expect(sentText(second)).toContain('const a = 1;');
    expect(toolsOf(first)).toContain('complete_task');
    expect(toolsOf(first)).not.toContain('invoke_agent');
    const own = events.filter(({ parentCallId }) => parentCallId === undefined);
    expect(own.some((event) => event.type === 'content' && event.value === 'I look.')).toBe(false);
    const childs = events.filter(({ parentCallId }) => parentCallId === 'p').map(({ type }) => type);
    expect(childs).toEqual(expect.arrayContaining(['prompt_started', 'content', 'tool_call_response', 'prompt_ended']));
    expect(bodyOf(env.requestsOf('main')[1]!).contents.at(-1)?.parts).toHaveLength(1);
    env.model.assertDone();
  });
});
