/**
 * A conversation with calls, images and thinking is carried from each protocol to each other and back, between turns and
 * inside a loop of calls. Strict servers judge every request: foreign state is absent, own state returns (T20, T21).
 */

import { tmpdir } from 'node:os';
import { createAgent } from '@castor/core';
import type { AgentEvent } from '@castor/core';
import { answer, call, createFakeClock, fakeModel, finish, Memory, say, text, thought } from '@castor/testkit';
import type { FakeModel, Step } from '@castor/testkit';
import { describe, expect, it } from 'vitest';
import { variants } from '../house/variants.ts';
import type { ProtocolName } from '../../packages/core/src/provider/providers.ts';
import { conversationOf, IMAGE, openAt, PROTOCOLS, sceneTools, switchOf, withState } from './scene.fixture.ts';
import type { RanCall } from './scene.fixture.ts';
import { sentIn } from './sent-request.fixture.ts';

const PAIRS = PROTOCOLS.flatMap((from) => PROTOCOLS.filter((to) => to !== from).map((to) => [from, to] as const));
/** What each protocol must return of its own, and no other may see. */
const stateOf = (protocol: ProtocolName, step: number) => `state-${protocol}-${step}`;

/** Thinking with state, words and a call. */
const thinks = (protocol: ProtocolName, step: number, tool: string, args: Record<string, unknown> = {}): Step => {
  const signature = stateOf(protocol, step);
  return protocol === 'gemini'
    ? answer(thought('I think.'), text(`Step ${step}.`), call(tool, args, { signature }), finish())
    : answer(thought(`I think of ${signature}.`, { signature }), text(`Step ${step}.`), call(tool, args), finish());
};

async function openPair(from: ProtocolName, to: ProtocolName, seesTo: boolean) {
  const memory = new Memory();
  const scripts: Record<string, Step[]> = {
    [from]: [
      // Two prompts; the second is taken over inside its loop.
      thinks(from, 1, 'look'),
      say('Seen.'),
      thinks(from, 2, 'switch_model'),
      // And back.
      thinks(from, 5, 'read_file', { path: 'c' }),
      say('Back.'),
    ],
    [to]: [
      thinks(to, 3, 'read_file', { path: 'b' }),
      say('Taken over.'),
      thinks(to, 6, 'switch_model'),
      say('The end.'),
    ],
  };
  const models: Record<string, FakeModel> = {};
  const providers: Record<string, Awaited<ReturnType<typeof openAt>>> = {};
  for (const protocol of [from, to]) {
    const { server, access } = withState(protocol, { images: protocol === from || seesTo, mediaInResponses: true });
    const model = await fakeModel(scripts[protocol]!, { ...server, memory });
    models[protocol] = model;
    providers[`my-${protocol}`] = await openAt(protocol, model.url, { access });
  }
  const ran: RanCall[] = [];
  const tools = sceneTools(ran, () => agent.setModel(next));
  const generator = switchOf(providers);
  for (const id of Object.keys(providers)) await generator.prepare(`${id}/m`);
  let next = `my-${to}/m`;
  const agent = createAgent({
    generator,
    model: `my-${from}/m`,
    sessionId: 's',
    tempDirectory: tmpdir(),
    systemInstruction: 'Be brief.',
    tools,
    clock: createFakeClock(),
  });
  return {
    models,
    agent,
    switchTo: (name: string) => (next = name),
    async ask(words: string): Promise<string> {
      const events: AgentEvent[] = [];
      for await (const event of agent.session.prompt(words, new AbortController().signal)) events.push(event);
      expect(events.at(-1)).toMatchObject({ type: 'prompt_ended', outcome: 'completed' });
      return events.map((event) => (event.type === 'content' ? event.value : '')).join('');
    },
    async [Symbol.asyncDispose]() {
      for (const model of Object.values(models)) await model.close();
    },
  };
}

describe.each(PAIRS)('from %s to %s', (from, to) => {
  variants.each([
    ['that sees', true],
    ['that is blind', false],
  ])('T20 and back: every request is legal, and state returns to its own provider, a model %s', async (_what, sees) => {
    await using pair = await openPair(from, to, sees);
    expect(await pair.ask('one')).toBe('Step 1.Seen.');
    expect(await pair.ask('two')).toBe('Step 2.Step 3.Taken over.');
    pair.agent.setModel(`my-${from}/m`);
    expect(await pair.ask('three')).toBe('Step 5.Back.');
    pair.agent.setModel(`my-${to}/m`);
    pair.switchTo(`my-${to}/m`);
    expect(await pair.ask('four')).toBe('Step 6.The end.');
    const [own, others] = [pair.models[from]!, pair.models[to]!];
    own.assertDone();
    others.assertDone();

    const last = { [from]: conversationOf(own).at(-1)!, [to]: conversationOf(others).at(-1)! };
    const sentTo = (protocol: ProtocolName) => JSON.stringify(last[protocol]!.body);
    const steps = { [from]: [1, 2, 5], [to]: [3, 6] };
    for (const [protocol, other] of [
      [from, to],
      [to, from],
    ] as const) {
      // Gemini's calls carry their signature in the part; every other protocol has its own state.
      for (const step of steps[protocol]!) expect(sentTo(protocol), String(step)).toContain(stateOf(protocol, step));
      for (const step of steps[other]!) expect(sentTo(protocol), String(step)).not.toContain(stateOf(other, step));
    }
    // The image of the first prompt, or the words that stand for it.
    if (sees || to === 'gemini') expect(sentTo(to)).toContain(IMAGE);
    else expect(sentTo(to)).toMatch(/cannot be sent/);
    expect(sentTo(from)).toContain(IMAGE);
    const { calls, results } = sentIn(to, last[to]!);
    expect(results.map(({ id }) => id)).toEqual(calls.map(({ id }) => id));
  });
});

describe.each(PROTOCOLS)('%s', (protocol) => {
  it('T21 sends no state of one model to another of the same provider, and all of it back', async () => {
    const memory = new Memory();
    const script = [
      thinks(protocol, 1, 'read_file', { path: 'a' }),
      say('One.'),
      thinks(protocol, 2, 'read_file', { path: 'b' }),
      say('Two.'),
      say('Three.'),
    ];
    const { server, access } = withState(protocol);
    await using model = await fakeModel(script, { ...server, memory });
    const provider = await openAt(protocol, model.url, { access });
    const generator = switchOf({ [provider.access.id]: provider });
    await generator.prepare(`my-${protocol}/m`);
    const agent = createAgent({
      generator,
      model: `my-${protocol}/m`,
      tempDirectory: tmpdir(),
      tools: sceneTools([]),
      clock: createFakeClock(),
    });
    const bodies: string[] = [];
    for (const name of ['m', 'other', 'm']) {
      agent.setModel(`my-${protocol}/${name}`);
      for await (const _ of agent.session.prompt(`ask ${name}`, new AbortController().signal));
      bodies.push(JSON.stringify(conversationOf(model).at(-1)!.body));
    }
    model.assertDone();
    expect(bodies[2]).toContain(stateOf(protocol, 1));
    // Gemini's signatures are valid for all its models.
    if (protocol === 'gemini') return;
    expect(bodies[1]).toContain(stateOf(protocol, 2));
    expect(bodies[1]).not.toContain(stateOf(protocol, 1));
    expect(bodies[2]).not.toContain(stateOf(protocol, 2));
  });
});
