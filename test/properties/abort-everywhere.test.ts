/**
 * A prompt is cancelled at every place where it can wait: each station holds the prompt
 * there and aborts. Wherever it was, the prompt ends as cancelled at once, leaves no
 * listener on the caller's signal and no request open, and the next prompt works.
 */

import { getEventListeners } from 'node:events';
import { tmpdir } from 'node:os';
import { ALLOW_EVERYTHING, ToolRegistry, createAgent, createGeminiGenerator, defineTool } from '@castor/core';
import type { AgentEvent, AgentOptions, Content, PartListUnion } from '@castor/core';
import { PER_DAY_QUOTA, answer, call, fakeModel, fault, gate, say, text } from '@castor/testkit';
import type { Step } from '@castor/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

/** Never settles and hears no signal: the worst a hook or a service can do. After the first time it fails. */
class Hold {
  private readonly arrival = Promise.withResolvers<void>();
  private isUsed = false;
  readonly reached = this.arrival.promise;

  readonly here = async (): Promise<never> => {
    if (this.isUsed) throw new Error('not again');
    this.isUsed = true;
    this.arrival.resolve();
    return new Promise(() => {});
  };
}

interface Station {
  place: string;
  /** The answers until the prompt hangs, and those for the next prompt are added. */
  script?: (hold: Hold) => Step[];
  options?: (hold: Hold) => Partial<AgentOptions>;
  input?: PartListUnion;
  countTokens?: (hold: Hold) => Step;
  /** Aborts when this event comes, where the place is a question to a person. */
  at?: `${AgentEvent['type']}`;
}

const history: Content[] = Array.from({ length: 20 }, (_, index) => ({
  role: index % 2 === 0 ? 'user' : 'model',
  parts: [{ text: `${index} ${'word '.repeat(400)}` }],
}));
const compressing = { history, limits: { compressionThreshold: 0.001 } };

const tool = (execute: (signal: AbortSignal) => Promise<never>, kind: 'read' | 'execute' = 'read') =>
  new ToolRegistry([
    defineTool({
      name: 'work',
      displayName: 'Work',
      kind,
      description: 'Works.',
      schema: { type: 'object', properties: { step: { type: 'number' } } },
      describe: () => 'Works',
      confirm: async () => ({ type: 'info', title: 'Work?', prompt: 'Work?' }),
      execute: ({ step }, { signal }) =>
        step === undefined ? execute(signal) : Promise.resolve({ llmContent: `${step}`, returnDisplay: '' }),
    }),
  ]);

const NOT_YET_JUDGED = 29;

/** Where a call that would answer at once can wait for another. */
function toolStation(place: string, options: NonNullable<Station['options']>): Station[] {
  const script = () => [answer(call('work', { step: 1 }, { id: 'w' }))];
  return [{ place, script, options: (hold) => ({ tools: tool(() => new Promise(() => {})), ...options(hold) }) }];
}

const STATIONS: Station[] = [
  { place: 'before the headers', script: ({ here }) => [here] },
  {
    place: 'in the middle of an answer',
    script: ({ here }) => {
      const held = gate();
      void held.reached.then(here);
      return [answer(text('one'), held, text('two'))];
    },
  },
  {
    place: 'between two attempts',
    script: () => [fault(503, { retryDelay: '60s' })],
    at: 'retry',
  },
  { place: 'in the second attempt', script: ({ here }) => [fault('reset_before_headers'), here] },
  { place: 'in the first call of a compression', script: ({ here }) => [here], options: () => compressing },
  {
    place: 'in the second call of a compression',
    script: ({ here }) => [say('a snapshot'), here],
    options: () => compressing,
  },
  {
    place: 'in the check who speaks next',
    script: ({ here }) => [say('hello'), here],
    options: () => ({ features: { nextSpeakerCheck: true } }),
  },
  {
    place: 'in the loop judge',
    script: ({ here }) => [
      ...Array.from({ length: NOT_YET_JUDGED }, (_, step) => answer(call('work', { step }, { id: `w${step}` }))),
      here,
    ],
    options: () => ({ tools: tool(() => new Promise(() => {})) }),
  },
  {
    place: 'in the classifier of the router',
    script: ({ here }) => [here],
    options: () => ({ model: 'auto', features: { classifyRequests: true } }),
  },
  {
    place: 'while tokens of a picture are counted',
    input: [{ text: 'What is this?' }, { inlineData: { mimeType: 'image/png', data: 'AA==' } }],
    countTokens: ({ here }) => here,
  },
  { place: 'in BeforeAgent', options: ({ here }) => ({ hooks: { agent: { beforeAgent: here } } }) },
  { place: 'in PreCompress', options: ({ here }) => ({ history, hooks: { agent: { preCompress: here } } }) },
  { place: 'in BeforeModel', options: ({ here }) => ({ hooks: { model: { beforeModel: here } } }) },
  { place: 'in BeforeToolSelection', options: ({ here }) => ({ hooks: { model: { beforeToolSelection: here } } }) },
  {
    place: 'in a request that went through a hook as JSON',
    script: ({ here }) => [here],
    options: () => ({
      hooks: {
        model: {
          beforeModel: async (request) => ({
            kind: 'proceed',
            request: JSON.parse(JSON.stringify(request)) as typeof request,
          }),
        },
      },
    }),
  },
  {
    place: 'in AfterModel',
    script: () => [say('hello')],
    options: ({ here }) => ({ hooks: { model: { afterModel: here } } }),
  },
  {
    place: 'in AfterAgent',
    script: () => [say('hello')],
    options: ({ here }) => ({ hooks: { agent: { afterAgent: here } } }),
  },
  {
    place: 'while a person is asked about another model',
    script: () => [fault(429, { quotaId: PER_DAY_QUOTA })],
    options: () => ({ model: 'gemini-2.5-pro', interactive: true }),
    at: 'fallback_requested',
  },
  {
    place: 'while a person is asked about a call',
    script: () => [answer(call('work', { step: 1 }, { id: 'w' }))],
    options: () => ({
      tools: tool(() => new Promise(() => {})),
      interactive: true,
      policy: { check: async () => ({ decision: 'ask_user' as const }), remember: async () => undefined },
    }),
    at: 'tool_call_confirmation',
  },
  ...toolStation('in BeforeTool', ({ here }) => ({ hooks: { tool: { beforeTool: here } } })),
  ...toolStation('in AfterTool', ({ here }) => ({ hooks: { tool: { afterTool: here } } })),
  ...toolStation('in the policy', ({ here }) => ({ policy: { check: here, remember: async () => undefined } })),
  ...toolStation('while context is read beside a result', ({ here }) => ({ resultContext: here })),
  ...toolStation('while a call is put on record', ({ here }) => ({
    callRecorder: { started: () => here().catch(() => undefined), ended: () => undefined },
    tools: tool(() => new Promise(() => {}), 'execute'),
  })),
  ...toolStation('while an effect is put on record', ({ here }) => ({
    chatRecorder: {
      sent: () => undefined,
      withdrawn: () => undefined,
      answered: () => undefined,
      added: () => undefined,
      replaced: () => undefined,
      settled: () => here().catch(() => undefined),
    },
  })),
  {
    place: 'while a tool runs',
    script: () => [answer(call('work', {}, { id: 'w' }))],
    options: ({ here }) => ({
      tools: tool(async (signal) => {
        void here();
        return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
      }),
    }),
  },
];

describe('an abort', () => {
  const unhandled: unknown[] = [];
  const onUnhandled = (reason: unknown) => void unhandled.push(reason);
  beforeAll(() => void process.on('unhandledRejection', onUnhandled));
  afterAll(() => void process.off('unhandledRejection', onUnhandled));

  async function open({ script, options, countTokens }: Station, hold: Hold) {
    const first = script?.(hold) ?? [];
    let index = 0;
    const model = await fakeModel(() => first[index++] ?? say('next'), {
      ...(countTokens && { countTokens: () => countTokens(hold) }),
    });
    const agent = createAgent({
      generator: createGeminiGenerator({ apiKey: 'k', baseUrl: model.url }),
      model: 'gemini-2.5-flash',
      sessionId: 's',
      tempDirectory: tmpdir(),
      policy: ALLOW_EVERYTHING,
      retry: { initialDelayMs: 1, streamDelayMs: 1 },
      ...options?.(hold),
    });
    return { model, ...agent, [Symbol.asyncDispose]: () => model.close() };
  }

  it.each(STATIONS)('$place ends the prompt at once and leaves nothing behind', async (station) => {
    const hold = new Hold();
    await using env = await open(station, hold);
    const controller = new AbortController();
    const { signal } = controller;
    void hold.reached.then(() => setImmediate(() => controller.abort()));

    const events: AgentEvent[] = [];
    for await (const event of env.session.prompt(station.input ?? 'hello', signal)) {
      events.push(event);
      if (event.type === station.at) setImmediate(() => controller.abort());
    }
    expect(events.at(-1)).toMatchObject({ type: 'prompt_ended', outcome: 'cancelled' });
    expect(events.filter(({ type }) => type === 'prompt_ended')).toHaveLength(1);
    await new Promise(setImmediate);
    expect(getEventListeners(signal, 'abort')).toEqual([]);
    // A held script is not an answer under way: only what we left open would be.
    expect(env.model.violations).toEqual([]);
    expect(unhandled).toEqual([]);
    // No half message: every model turn in the history is whole.
    expect(env.chat.getHistory().filter(({ role, parts }) => role === 'model' && !parts?.length)).toEqual([]);
  });

  it.each(STATIONS)('$place leaves a session that answers the next prompt', async (station) => {
    const hold = new Hold();
    await using env = await open(station, hold);
    const controller = new AbortController();
    void hold.reached.then(() => setImmediate(() => controller.abort()));
    for await (const event of env.session.prompt(station.input ?? 'hello', controller.signal)) {
      if (event.type === station.at) setImmediate(() => controller.abort());
    }
    const outcomes: unknown[] = [];
    for await (const event of env.session.prompt('and now?', new AbortController().signal)) {
      if (event.type === 'prompt_ended') outcomes.push(event.outcome);
    }
    expect(outcomes).toEqual(['completed']);
    expect(env.model.violations).toEqual([]);
  });

  it.each(STATIONS.filter(({ at }) => at !== undefined))(
    'is not needed $place when the consumer leaves',
    async (station) => {
      const hold = new Hold();
      await using env = await open(station, hold);
      const { signal } = new AbortController();
      for await (const event of env.session.prompt(station.input ?? 'hello', signal)) {
        if (event.type === station.at) break;
      }
      await new Promise(setImmediate);
      expect(getEventListeners(signal, 'abort')).toEqual([]);
      expect(unhandled).toEqual([]);
    },
  );

  it.each(Array.from({ length: 20 }, (_, index) => index))(
    'is not needed by a consumer that leaves after event %i of a long prompt',
    async (at) => {
      const script = [
        fault(503),
        answer(text('a'), call('work', { step: 1 }, { id: 'w1' }), call('work', { step: 2 }, { id: 'w2' })),
        fault('reset_mid_stream'),
        say(['b', 'c']),
      ];
      const options = () => ({ tools: tool(() => new Promise(() => {})) });
      await using env = await open({ place: '', script: () => script, options }, new Hold());
      const { signal } = new AbortController();
      let count = 0;
      for await (const _event of env.session.prompt('hello', signal)) if (count++ === at) break;
      await env.model.waitForIdle();
      await new Promise(setImmediate);
      expect([getEventListeners(signal, 'abort'), unhandled]).toEqual([[], []]);
      const last: AgentEvent[] = [];
      for await (const event of env.session.prompt('and now?', signal)) last.push(event);
      expect(last.at(-1)).toMatchObject({ type: 'prompt_ended', outcome: 'completed' });
      expect(env.model.violations).toEqual([]);
    },
  );
});
