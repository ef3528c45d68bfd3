import { PER_DAY_QUOTA, answer, call, fakeModel, fault, say } from '@castor/testkit';
import type { FakeModel } from '@castor/testkit';
import { describe, expect, it } from 'vitest';
import type { AgentEvent } from '../protocol/agent-events.ts';
import { createGeminiGenerator } from '../provider/gemini/generator.ts';
import { defineTool } from '../tools/define-tool.ts';
import { ToolRegistry } from '../tools/tool-registry.ts';
import type { AgentOptions } from './agent-options.ts';
import type { AgentSession } from './agent-session.ts';
import { createAgent } from './create-agent.ts';
import { ALLOW_EVERYTHING } from './default-policy.ts';

const signal = new AbortController().signal;

function open(model: FakeModel, tools: ToolRegistry, options: Partial<AgentOptions> = {}): AgentSession {
  const generator = createGeminiGenerator({ apiKey: 'k', baseUrl: model.url });
  return createAgent({ generator, model: 'gemini-2.5-flash', tools, interactive: true, ...options }).session;
}

/** A tool of a child that asks the user first. */
function acting(ran: string[]) {
  return defineTool({
    name: 'act',
    description: 'acts',
    kind: 'edit',
    schema: { type: 'object', properties: { what: { type: 'string' } }, required: ['what'] },
    execute: ({ what }) => {
      ran.push(what);
      return 'acted';
    },
  });
}

/** A tool that runs a session of its own, opened by `openChild`. */
function delegating(name: string, openChild: () => AgentSession) {
  return defineTool({
    name,
    description: 'runs a child',
    kind: 'agent',
    schema: { type: 'object' },
    async *execute(_args, { runChild }) {
      let text = '';
      for await (const event of runChild(openChild(), 'Do it')) {
        if (event.type === 'content' && event.parentCallId === undefined) text += event.value;
        yield event;
      }
      return text;
    },
  });
}

/** Runs the parent's prompt; `reply` receives each question of a child. */
async function runPrompt(parent: AgentSession, reply: (event: AgentEvent) => void): Promise<AgentEvent[]> {
  const events: AgentEvent[] = [];
  for await (const event of parent.prompt('Go', signal)) {
    events.push(event);
    const isQuestion = event.type === 'tool_call_confirmation' || event.type === 'fallback_requested';
    if (isQuestion && event.parentCallId !== undefined) reply(event);
  }
  return events;
}

describe('a question of a child session', () => {
  it.each([
    ['proceed_once', ['it']],
    ['cancel', []],
  ] as const)('is answered at the parent: %s', async (outcome, expected) => {
    const ran: string[] = [];
    await using childModel = await fakeModel([answer(call('act', { what: 'it' }, { id: 'c' })), say('Child done.')]);
    await using model = await fakeModel([answer(call('delegate', {}, { id: 'p' })), say('Done.')]);
    const delegate = delegating('delegate', () => open(childModel, new ToolRegistry([acting(ran)])));
    const parent = open(model, new ToolRegistry([delegate]), { policy: ALLOW_EVERYTHING });
    const events = await runPrompt(parent, (event) => {
      if (event.type === 'tool_call_confirmation') parent.respond(event.value.request.callId, outcome);
    });
    expect(ran).toEqual(expected);
    expect(events.at(-1)).toMatchObject({ type: 'prompt_ended', outcome: 'completed' });
  });

  it('reaches the child whose address it has, when two children use the same call id', async () => {
    const ran: string[] = [];
    const child = (what: string) => fakeModel([answer(call('act', { what }, { id: 'same' })), say('Child done.')]);
    await using one = await child('one');
    await using two = await child('two');
    const both = answer(call('first', {}, { id: 'p1' }), call('second', {}, { id: 'p2' }));
    await using model = await fakeModel([both, say('Done.')]);
    const tools = new ToolRegistry([
      delegating('first', () => open(one, new ToolRegistry([acting(ran)]))),
      delegating('second', () => open(two, new ToolRegistry([acting(ran)]))),
    ]);
    const parent = open(model, tools, { policy: ALLOW_EVERYTHING });
    await runPrompt(parent, (event) => {
      if (event.type !== 'tool_call_confirmation') return;
      const outcome = event.parentCallId === 'p2' ? 'proceed_once' : 'cancel';
      parent.respond(event.value.request.callId, outcome, undefined, event);
    });
    expect(ran).toEqual(['two']);
  });

  it('of a grandchild is answered at the top', async () => {
    const ran: string[] = [];
    await using inner = await fakeModel([answer(call('act', { what: 'deep' }, { id: 'c' })), say('Deep done.')]);
    await using middle = await fakeModel([answer(call('delegate', {}, { id: 'm' })), say('Middle done.')]);
    await using model = await fakeModel([answer(call('delegate', {}, { id: 'p' })), say('Done.')]);
    const deep = delegating('delegate', () => open(inner, new ToolRegistry([acting(ran)])));
    const child = delegating('delegate', () => open(middle, new ToolRegistry([deep]), { policy: ALLOW_EVERYTHING }));
    const parent = open(model, new ToolRegistry([child]), { policy: ALLOW_EVERYTHING });
    const addresses: unknown[] = [];
    await runPrompt(parent, (event) => {
      if (event.type !== 'tool_call_confirmation') return;
      addresses.push(event.parentCallId);
      parent.respond(event.value.request.callId, 'proceed_once', undefined, event);
    });
    expect([addresses, ran]).toEqual([['m'], ['deep']]);
  });

  it('about another model is answered at the parent too', async () => {
    const exhausted = fault(429, { quotaId: PER_DAY_QUOTA });
    await using childModel = await fakeModel([exhausted]);
    await using model = await fakeModel([answer(call('delegate', {}, { id: 'p' })), say('Done.')]);
    const delegate = delegating('delegate', () => open(childModel, new ToolRegistry(), { model: 'gemini-2.5-pro' }));
    const parent = open(model, new ToolRegistry([delegate]), { policy: ALLOW_EVERYTHING });
    const events = await runPrompt(parent, (event) => {
      if (event.type === 'fallback_requested') parent.answerFallback(event.requestId, 'stop', event);
    });
    expect(events).toContainEqual(
      expect.objectContaining({ type: 'fallback_answered', intent: 'stop', parentCallId: 'p' }),
    );
    expect(events.at(-1)).toMatchObject({ type: 'prompt_ended', outcome: 'completed' });
  });

  it('is unknown to the parent once the child has ended, however it ended', async () => {
    await using childModel = await fakeModel([answer(call('act', { what: 'it' }, { id: 'c' }))]);
    await using model = await fakeModel([answer(call('delegate', {}, { id: 'p' })), say('Done.')]);
    const delegate = delegating('delegate', () => open(childModel, new ToolRegistry([acting([])])));
    const parent = open(model, new ToolRegistry([delegate]), { policy: ALLOW_EVERYTHING });
    const cancel = new AbortController();
    for await (const event of parent.prompt('Go', cancel.signal)) {
      if (event.type === 'tool_call_confirmation') {
        expect(parent.asks('c')).toBe(true);
        cancel.abort();
      }
    }
    expect(parent.asks('c')).toBe(false);
    expect(() => parent.respond('c', 'proceed_once')).toThrow('No call with the id c is waiting for an answer.');
  });
});
