/**
 * The promises about size and about odd text, at the wire: whatever a user, a tool or
 * the model writes, what is sent is well-formed and what was received is whole.
 */

import { tmpdir } from 'node:os';
import { ToolRegistry, createAgent, createGeminiGenerator, defineTool } from '@castor/core';
import type { AgentEvent, Content } from '@castor/core';
import {
  answer,
  bigFrame,
  bytes,
  call,
  createFakeClock,
  fakeModel,
  fault,
  finish,
  raw,
  say,
  text,
} from '@castor/testkit';
import type { FakeModel, Step } from '@castor/testkit';
import { describe, expect, inject, it } from 'vitest';

const MEGABYTES = inject('isEndurance') ? 20 : 4;
const LONE_HIGH = '\ud83e';
const LONE_LOW = '\uddab';
const ODD = `a\0b ${LONE_HIGH} c ${LONE_LOW} d\u2028e\u2029f \u0007 \ufffe 🦫`;
/** As it arrives: what is no character is replaced, all else is as it was written. */
const ODD_AS_SENT = ODD.toWellFormed();

const echo = defineTool({
  name: 'echo',
  displayName: 'Echo',
  kind: 'read',
  description: 'Says the odd text.',
  schema: { type: 'object' },
  describe: () => 'Echo',
  execute: async ({ text: asked }) => ({
    llmContent: typeof asked === 'string' ? `${asked.length}` : ODD,
    returnDisplay: '',
  }),
});

async function setUp(script: Step[]) {
  const model = await fakeModel(script);
  const agent = createAgent({
    generator: createGeminiGenerator({ apiKey: 'k', baseUrl: model.url }),
    model: 'gemini-2.5-flash',
    sessionId: 's',
    tempDirectory: tmpdir(),
    clock: createFakeClock(),
    tools: new ToolRegistry([echo]),
  });
  async function ask(words: string): Promise<AgentEvent[]> {
    const events: AgentEvent[] = [];
    for await (const event of agent.session.prompt(words, new AbortController().signal)) events.push(event);
    expect(events.at(-1)).toEqual({ type: 'prompt_ended', prompt_id: expect.any(String), outcome: 'completed' });
    return events;
  }
  /** The only one of its session. */
  async function prompt(words: string): Promise<AgentEvent[]> {
    const events = await ask(words);
    model.assertDone();
    return events;
  }
  return { model, ask, prompt, ...agent, [Symbol.asyncDispose]: () => model.close() };
}

function lastTurn({ requests }: FakeModel): Content | undefined {
  return (requests.at(-1)?.body as { contents: Content[] }).contents.at(-1);
}

const textOf = (events: readonly AgentEvent[]) =>
  events.map((event) => (event.type === 'content' ? event.value : '')).join('');

describe('odd text', () => {
  it('in a prompt reaches the service well-formed', async () => {
    await using env = await setUp([say('ok')]);
    await env.prompt(ODD);
    expect(lastTurn(env.model)).toEqual({ role: 'user', parts: [{ text: ODD_AS_SENT }] });
  });

  it('in the result of a tool reaches the service well-formed', async () => {
    await using env = await setUp([answer(call('echo', {}, { id: 'c' })), say('ok')]);
    await env.prompt('go');
    const sent = lastTurn(env.model)?.parts?.[0]?.functionResponse?.response?.['output'];
    expect(sent).toBe(ODD_AS_SENT);
  });

  it('in the words and the arguments of the model comes through and goes back well-formed', async () => {
    await using env = await setUp([answer(text(ODD), call('echo', { text: ODD }, { id: 'c' })), say('ok')]);
    const events = await env.prompt('go');
    expect(textOf(events)).toBe(`${ODD}ok`);
    const turns = (env.model.requests.at(-1)?.body as { contents: Content[] }).contents;
    expect(turns.at(-2)?.parts?.[0]?.text).toBe(ODD_AS_SENT);
    expect(turns.at(-2)?.parts?.[1]?.functionCall?.args).toEqual({ text: ODD_AS_SENT });
  });
});

describe('frames of an odd shape', () => {
  const candidate = (fields: object) => raw({ candidates: [fields] });
  const parts = (...list: unknown[]) => candidate({ content: { role: 'model', parts: list } });
  const nested = `${'{"a":'.repeat(5_000)}1${'}'.repeat(5_000)}`;
  const deepCall = `data: {"candidates":[{"content":{"parts":[{"functionCall":{"name":"echo","args":${nested}}}]}}]}\n\n`;

  it.each<[string, Step[], string]>([
    ['parts that are none', [answer(parts(null, 5, 'x', { text: 5 }, { text: null }, {}), text('fine'))], 'fine'],
    ['a text that is an object', [answer(parts({ text: { a: 1 } }), text('fine'))], 'fine'],
    ['a call that is null', [answer(parts({ functionCall: null, text: 'fine' }))], 'fine'],
    [
      'sources that are none',
      [answer(candidate({ citationMetadata: { citations: [null, 5, { uri: 5 }] } }), text('fine'))],
      'fine',
    ],
    ['sources that are no list', [answer(candidate({ citationMetadata: { citations: {} } }), text('fine'))], 'fine'],
    [
      'counts that are words',
      [answer(raw({ usageMetadata: { promptTokenCount: 'many' } }), text('fine'), finish('STOP', { usage: null }))],
      'fine',
    ],
    [
      'usage that is a number',
      [answer(raw({ usageMetadata: 5 }), text('fine'), finish('STOP', { usage: null }))],
      'fine',
    ],
    ['calls beside the parts', [answer(raw({ functionCalls: [{ name: 'echo' }] }), text('fine'))], 'fine'],
    ['a content that is a text', [answer(candidate({ content: 'x' }), text('fine'))], 'fine'],
    ['parts that are no list', [answer(candidate({ content: { parts: { text: 'a' } } })), say('fine')], 'fine'],
    ['candidates that are no list', [answer(raw({ candidates: { a: 1 } })), say('fine')], 'fine'],
    ['a candidate that is null', [answer(raw({ candidates: [null] })), say('fine')], 'fine'],
    ['arguments nested without end', [answer(bytes(deepCall), finish()), say('fine')], 'fine'],
  ])('with %s do no harm, now or with the next prompt', async (_, script, words) => {
    await using env = await setUp([...script, say('next')]);
    const shown = (events: AgentEvent[]) =>
      textOf(events.slice(events.findLastIndex(({ type }) => type === 'retry') + 1));
    expect(shown(await env.ask('go'))).toBe(words);
    expect(shown(await env.ask('and now?'))).toBe('next');
    env.model.assertDone();
  });
});

describe('ids the model repeats', () => {
  it('are made unique, in one turn and over many, and every call runs and is answered', async () => {
    const twice = answer(call('echo', {}, { id: 'same' }), call('echo', {}, { id: 'same' }));
    await using env = await setUp([twice, twice, say('ok')]);
    const events = await env.prompt('go');
    const ids = events.flatMap((event) => (event.type === 'tool_call_response' ? [event.value.callId] : []));
    expect([ids.length, new Set(ids).size, ids[0]]).toEqual([4, 4, 'same']);
  });
});

describe('large answers', () => {
  it('of 20,000 frames of one character are whole', async () => {
    const letters = Array.from({ length: 20_000 }, (_, index) => String.fromCharCode(97 + (index % 26)));
    // Shuffled by a fixed step, so that nothing repeats for loop detection to find.
    const words = letters.map((_, index) => letters[(index * index * 7919 + index) % 20_000] ?? 'x');
    await using env = await setUp([say(words)]);
    expect(textOf(await env.prompt('go'))).toBe(words.join(''));
    expect(env.chat.getLastContent()).toEqual({ role: 'model', parts: [{ text: words.join('') }] });
  });

  it(`in one frame of ${MEGABYTES} MB are whole`, { tags: 'wide' }, async () => {
    await using env = await setUp([answer(bigFrame(MEGABYTES * 1_000_000), finish())]);
    expect(textOf(await env.prompt('go'))).toHaveLength(MEGABYTES * 1_000_000);
  });

  it('with arguments of 2 MB reach the tool', async () => {
    await using env = await setUp([answer(call('echo', { text: 'y'.repeat(2_000_000) }, { id: 'c' })), say('ok')]);
    await env.prompt('go');
    expect(lastTurn(env.model)?.parts?.[0]?.functionResponse?.response).toEqual({ output: '2000000' });
  });
});

describe('an attempt that failed', () => {
  it.each<[string, Step]>([
    ['in the middle', fault('reset_mid_stream', { after: [text('void')] })],
    ['without a finish reason', fault('end_without_finish')],
    ['without an answer', fault('thought_only')],
  ])('%s leaves no trace in history, size of the session or tokens used', async (_, broken) => {
    await using once = await setUp([say('ok')]);
    await once.prompt('go');
    await using env = await setUp([broken, say('ok')]);
    await env.prompt('go');
    expect(env.chat.getHistory()).toEqual(once.chat.getHistory());
    expect(env.chat.getLastPromptTokenCount()).toBe(once.chat.getLastPromptTokenCount());
    const tokens = ({ ledger }: typeof env) => ledger.metrics().models['gemini-2.5-flash']?.tokens;
    expect(tokens(env)).toEqual(tokens(once));
  });
});

describe('a session of 2,000 messages', () => {
  /** Counts how often a message of the history is looked into: that is what a longer session would cost. */
  function watched(length: number): { history: Content[]; reads: () => number } {
    let reads = 0;
    const history = Array.from({ length }, (_, index): Content => {
      const parts = [{ text: `message ${index}` }];
      return {
        role: index % 2 === 0 ? 'user' : 'model',
        get parts() {
          reads++;
          return parts;
        },
      };
    });
    return { history, reads: () => reads };
  }

  async function readsOfOneTurn(length: number): Promise<number> {
    await using model = await fakeModel([say('first'), say('second'), say('third')]);
    const { history, reads } = watched(length);
    const { session } = createAgent({
      generator: createGeminiGenerator({ apiKey: 'k', baseUrl: model.url }),
      model: 'gemini-2.5-flash',
      sessionId: 's',
      tempDirectory: tmpdir(),
      saveOutput: async () => ({ problem: 'not needed' }),
      history,
    });
    const ask = async () => {
      for await (const _event of session.prompt('go', new AbortController().signal));
    };
    await ask();
    await ask();
    const before = reads();
    expect(before).toBeGreaterThanOrEqual(length);
    await ask();
    return reads() - before;
  }

  it('is not read again by a turn: even its bytes are there already', async () => {
    expect(await readsOfOneTurn(2_000)).toBe(await readsOfOneTurn(20));
  });
});
