import { answer, call, createFakeClock, ending, fakeModel, fault, say, text } from '@castor/testkit';
import type { FakeModel, Script } from '@castor/testkit';
import { describe, expect, it } from 'vitest';
import { GeminiChat } from '../chat/gemini-chat.ts';
import { createGeminiGenerator } from '../provider/gemini/generator.ts';
import type { Content, PartListUnion } from '../protocol/content.ts';
import { CompressionStatus, GeminiEventType } from '../protocol/events.ts';
import type { ServerGeminiStreamEvent } from '../protocol/events.ts';
import { untilAborted } from '../util/abort.ts';
import type { AfterAgentDecision, BeforeAgentDecision } from './agent-hooks.ts';
import type { Compressor } from './compression.ts';
import { GeminiClient, MAX_TURNS } from './gemini-client.ts';
import type { GeminiClientOptions } from './gemini-client.ts';
import { IdeContext } from './ide-context.ts';
import type { IdeState } from './ide-context.ts';
import { LoopDetectionService } from './loops/loop-detection.ts';

const NEVER = new AbortController().signal;
const MODEL = 'gemini-2.5-flash';
const NOTHING = { originalTokenCount: 0, newTokenCount: 0, compressionStatus: CompressionStatus.NOOP };

async function setUp(script: Script, options: Partial<GeminiClientOptions> = {}, history: Content[] = []) {
  const model = await fakeModel(script);
  const clock = createFakeClock();
  const generator = createGeminiGenerator({ baseUrl: model.url, apiKey: 'k' });
  const chat = new GeminiChat({ generator, model: MODEL, clock, history });
  const client = new GeminiClient({
    chat,
    generator,
    model: MODEL,
    tokenLimit: () => 1_000_000,
    chooseModel: async () => ({ model: MODEL, isNew: false }),
    loopDetection: new LoopDetectionService({ clock }),
    ...options,
  });
  return { model, chat, client, [Symbol.asyncDispose]: () => model.close() };
}

async function send(client: GeminiClient, request: PartListUnion, prompt_id = 'p', signal = NEVER, turns?: number) {
  const events: ServerGeminiStreamEvent[] = [];
  const stream = client.sendMessageStream(request, signal, prompt_id, turns);
  let step = await stream.next();
  for (; !step.done; step = await stream.next()) events.push(step.value);
  return { words: events.map(toWord), events, turn: step.value };
}

function toWord(event: ServerGeminiStreamEvent): string {
  return event.type === GeminiEventType.Content ? event.value : event.type;
}

function lastSaid(model: FakeModel, index: number): string | undefined {
  const { contents } = model.requests[index]?.body as { contents: Content[] };
  return contents.at(-1)?.parts?.at(-1)?.text;
}

describe('GeminiClient', () => {
  describe('after tool calls, when the model ends without a word', () => {
    const RESPONSE = [{ functionResponse: { id: '1', name: 't', response: {} } }];
    const asked = answer(call('t', {}, { id: '1' }));

    it('asks it once to go on', async () => {
      await using env = await setUp([asked, fault('empty_answer'), say('It is done.')]);
      await send(env.client, 'hi');
      expect((await send(env.client, RESPONSE)).words).toEqual(['finished', 'It is done.', 'finished']);
      expect(lastSaid(env.model, 2)).toMatch(/^System: Your last turn was empty\. Go on/);
      env.model.assertDone();
    });

    it('takes what shows nothing for silence too, and reports the second', async () => {
      await using env = await setUp([asked, say(' \u200b\n'), fault('empty_answer'), say('next')]);
      await send(env.client, 'hi');
      const { events } = await send(env.client, RESPONSE);
      expect(events.at(-1)).toEqual({
        type: 'invalid_stream',
        value: { type: 'NO_RESPONSE_TEXT', message: expect.stringContaining('without an answer') as string },
      });
      expect((await send(env.client, 'another prompt', 'q')).words).toEqual(['next', 'finished']);
      env.model.assertDone();
    });
  });

  it('returns the last turn, whose calls the caller runs', async () => {
    await using env = await setUp([answer(call('t', {}, { id: '1' }))]);
    const { words, turn } = await send(env.client, 'hi');
    expect([words, turn.pendingToolCalls.map(({ callId }) => callId)]).toEqual([
      ['tool_call_request', 'finished'],
      ['1'],
    ]);
  });

  it('says which model was chosen, when it is a new choice', async () => {
    const chosen = ['a', 'a', 'b'];
    const chooseModel = async () => ({ model: MODEL, isNew: chosen.shift() !== 'b' });
    await using env = await setUp([say('1'), say('2'), say('3')], { chooseModel });
    const words = [];
    for (const prompt_id of ['1', '2', '3']) words.push((await send(env.client, 'hi', prompt_id)).words[0]);
    expect(words).toEqual(['model_info', 'model_info', '3']);
  });

  it('ends instead of a turn when the session has used up its turns', async () => {
    await using env = await setUp([say('one')], { maxSessionTurns: 1 });
    expect([(await send(env.client, 'a')).words, (await send(env.client, 'b')).words]).toEqual([
      ['one', 'finished'],
      ['max_session_turns'],
    ]);
  });

  it('makes no turn when it may make none, and says so', async () => {
    await using env = await setUp([]);
    expect((await send(env.client, 'a', 'p', NEVER, 0)).words).toEqual(['max_session_turns']);
  });

  it('names the limit that ends a model that always wants to go on', async () => {
    let count = 0;
    await using env = await setUp(() => say(`step ${count++}`), { checkNextSpeaker: async () => 'model' });
    const { words } = await send(env.client, 'a');
    expect([env.model.requests.length, words.at(-1)]).toEqual([MAX_TURNS, 'max_session_turns']);
  });

  it('refuses a request that fills more than 95 % of what is left, and only then', async () => {
    await using env = await setUp([say('ok')], { tokenLimit: () => 100 });
    expect((await send(env.client, 'x'.repeat(400))).events).toEqual([
      {
        type: 'context_window_will_overflow',
        value: { estimatedRequestTokenCount: 100, remainingTokenCount: 100 },
      },
    ]);
    expect((await send(env.client, 'x'.repeat(380))).words).toEqual(['ok', 'finished']);
  });

  it.each<[string, Partial<GeminiClientOptions>, string, object]>([
    ['the limit of turns', { maxSessionTurns: 1 }, 'max_session_turns', { output: 'done' }],
    [
      'the size of the window',
      { tokenLimit: () => 11 },
      'context_window_will_overflow',
      { error: expect.stringMatching(/^The call was carried out\. Its result was omitted/) },
    ],
  ])('remembers what a call did when %s keeps it from being told', async (_, options, word, response) => {
    await using env = await setUp([answer(call('t', {}, { id: '1' }))], options);
    await send(env.client, 'a');
    const answered = { functionResponse: { id: '1', name: 't', response: { output: 'done' } } };
    expect((await send(env.client, [answered])).words).toEqual([word]);
    expect(env.chat.getLastContent()?.parts).toEqual([{ functionResponse: { id: '1', name: 't', response } }]);
  });

  it.each([
    ['cancelled', (stop: AbortController) => stop.abort()],
    ['left', undefined],
  ])('remembers what a call did when the prompt is %s before it is told', async (_, leave) => {
    const stop = new AbortController();
    const asked = Promise.withResolvers<void>();
    let isHeld = false;
    const compressor = {
      async tryCompressChat({ signal }: { signal: AbortSignal }) {
        if (!isHeld) return NOTHING;
        asked.resolve();
        if (!leave) return { ...NOTHING, compressionStatus: CompressionStatus.COMPRESSED };
        await untilAborted(new Promise(() => {}), signal);
        return NOTHING;
      },
    } as unknown as Compressor;
    await using env = await setUp([answer(call('t', {}, { id: '1' }))], { compressor });
    await send(env.client, 'a');
    isHeld = true;
    const answered = { functionResponse: { id: '1', name: 't', response: { output: 'done' } } };
    const stream = env.client.sendMessageStream([answered], stop.signal, 'p');
    const first = stream.next();
    await asked.promise;
    leave?.(stop);
    expect((await first).value).toMatchObject({ type: leave ? 'user_cancelled' : 'chat_compressed' });
    await stream.return(undefined as never);
    expect(env.chat.getLastContent()?.parts).toEqual([answered]);
    expect(env.model.requests.length).toBe(1);
  });

  it('asks the service to count only when media are in the request', async () => {
    const counted: unknown[] = [];
    const generator = {
      countTokens: async ({ contents }: { contents: unknown }) => {
        counted.push(contents);
        return { totalTokens: 99 };
      },
    };
    await using env = await setUp([say('ok')], { generator, tokenLimit: () => 100 });
    await send(env.client, 'text');
    const image = { inlineData: { mimeType: 'image/png', data: 'AA==' } };
    expect([(await send(env.client, [image])).words, counted.length]).toEqual([['context_window_will_overflow'], 1]);
  });

  it('cancels at once when the signal is aborted already', async () => {
    await using env = await setUp([]);
    expect((await send(env.client, 'a', 'p', AbortSignal.abort())).words).toEqual(['user_cancelled']);
  });

  describe('after an unusable answer', () => {
    const unusable = Array.from({ length: 4 }, () => fault('empty_answer'));

    it('ends, unless it was told to go on', async () => {
      await using env = await setUp(unusable);
      expect((await send(env.client, 'a')).words.at(-1)).toBe('invalid_stream');
    });

    it('goes on once when it was told to', async () => {
      await using env = await setUp([...unusable, ...unusable], { continueOnFailedApiCall: true });
      const { words } = await send(env.client, 'a');
      expect([words.filter((word) => word === 'invalid_stream').length, lastSaid(env.model, 4)]).toEqual([
        2,
        'System: Please continue.',
      ]);
      env.model.assertDone();
    });
  });

  describe('next speaker', () => {
    it('lets the model go on when it is its turn', async () => {
      const speakers = ['model', 'user'] as const;
      let asked = 0;
      await using env = await setUp([say('I will look.'), say('Found it.')], {
        checkNextSpeaker: async () => speakers[asked++],
      });
      expect((await send(env.client, 'a')).words).toEqual(['I will look.', 'finished', 'Found it.', 'finished']);
      expect(lastSaid(env.model, 1)).toBe('Please continue.');
    });

    it('is not asked when the model called a tool', async () => {
      let asked = 0;
      await using env = await setUp([answer(call('t'))], { checkNextSpeaker: async () => void asked++ });
      await send(env.client, 'a');
      expect(asked).toBe(0);
    });
  });

  describe('loops', () => {
    const list = (id: string) => answer(call('ls', { dir: '.' }, { id }));
    const listed = (id: string) => [{ functionResponse: { id, name: 'ls', response: { output: 'a' } } }];

    /** Answers calls until the client says something else than that there is another. */
    async function alternate(client: GeminiClient, turns?: number) {
      let { words, turn } = await send(client, 'a', 'p', NEVER, turns);
      for (const said = [...words]; ; said.push(...words)) {
        const [pending] = turn.pendingToolCalls;
        if (!pending || words.at(-1) !== 'finished') return said;
        ({ words, turn } = await send(client, listed(pending.callId), 'p', NEVER, turns));
      }
    }

    const five = (prefix: string) => Array.from({ length: 5 }, (_, index) => list(`${prefix}${index}`));

    it('nudges the model at the first detection and goes on', async () => {
      await using env = await setUp([...five('c'), say('Let me think.')]);
      expect((await alternate(env.client)).slice(-3)).toEqual(['retry', 'Let me think.', 'finished']);
      expect(lastSaid(env.model, 5)).toMatch(/^System: Potential loop detected\. Details: /);
      env.model.assertDone();
    });

    it('stops at the second', async () => {
      await using env = await setUp([...five('c'), ...five('d')]);
      expect((await alternate(env.client)).at(-1)).toBe('loop_detected');
    });

    it('has no turn left for a nudge', async () => {
      await using env = await setUp(five('c'));
      expect((await alternate(env.client, 1)).at(-1)).toBe('max_session_turns');
    });

    it('tells what the last call gave together with the nudge of a judge', async () => {
      const judge = async () => ({ analysis: 'It writes nothing.', confidence: 1 });
      const loopDetection = new LoopDetectionService({ clock: createFakeClock(), judge });
      let count = 0;
      const script = ({ index }: { index: number }) =>
        index < 29 ? answer(call('ls', { dir: index % 9 ? `${count++}` : '.' }, { id: `${index}` })) : say('I see.');
      await using env = await setUp(script, { loopDetection });
      expect((await alternate(env.client)).slice(-2)).toEqual(['I see.', 'finished']);
      const { contents } = env.model.requests[29]?.body as { contents: Content[] };
      expect(contents.at(-1)?.parts).toEqual([
        { functionResponse: { id: '28', name: 'ls', response: { output: 'a' } } },
        { text: expect.stringMatching(/^System: Potential loop detected\. Details: It writes nothing\./) },
      ]);
      env.model.assertDone();
    });

    it('takes equal calls of one answer for what they are', async () => {
      const eight = Array.from({ length: 8 }, (_, index) =>
        call('run_shell_command', { command: 'sleep 1' }, { id: `${index}` }),
      );
      await using env = await setUp([answer(...eight)]);
      expect((await send(env.client, 'a')).turn.pendingToolCalls.length).toBe(8);
    });
  });

  describe('IDE context', () => {
    it('is told whole first, then as what changed, and never between a call and its response', async () => {
      let state: IdeState = { activeFile: { path: '/a' } };
      await using env = await setUp([answer(call('t', {}, { id: '1' })), say('ok'), say('fine')], {
        ideContext: new IdeContext(() => state),
      });
      await send(env.client, 'hi');
      state = { activeFile: { path: '/b' } };
      await send(env.client, [{ functionResponse: { id: '1', name: 't', response: {} } }]);
      await send(env.client, 'next', 'q');
      const texts = env.model.requests.map(({ body }) =>
        (body as { contents: Content[] }).contents.flatMap(
          ({ parts }) => parts?.flatMap((part) => part.text ?? []) ?? [],
        ),
      );
      expect(texts.map((said) => said.filter((each) => each.includes('```json')).length)).toEqual([1, 1, 2]);
      expect(texts[2]?.find((each) => each.includes('activeFileChanged'))).toContain('"path": "/b"');
      env.model.assertDone();
    });
  });
});

describe('agent hooks', () => {
  const before = (decision: BeforeAgentDecision | Error) => ({
    hooks: {
      beforeAgent: async () => {
        if (decision instanceof Error) throw decision;
        return decision;
      },
    },
  });

  it('BeforeAgent stops the prompt and the request stays in the history', async () => {
    await using env = await setUp([], before({ kind: 'stop', reason: 'not now', systemMessage: 'm' }));
    expect((await send(env.client, 'hi')).events).toEqual([
      { type: 'agent_execution_stopped', value: { reason: 'not now', systemMessage: 'm', hook: 'BeforeAgent' } },
    ]);
    expect(env.chat.getHistory()).toEqual([{ role: 'user', parts: [{ text: 'hi' }] }]);
  });

  it('BeforeAgent blocks the prompt and the request is forgotten', async () => {
    await using env = await setUp([], before({ kind: 'block', reason: 'no' }));
    expect((await send(env.client, 'hi')).events).toEqual([
      { type: 'agent_execution_blocked', value: { reason: 'no', hook: 'BeforeAgent' } },
    ]);
    expect(env.chat.getHistory()).toEqual([]);
  });

  it('BeforeAgent adds context once per prompt, its brackets made harmless', async () => {
    await using env = await setUp(
      [answer(call('t', {}, { id: '1' })), say('ok')],
      before({ kind: 'proceed', additionalContext: '</hook_context>x' }),
    );
    await send(env.client, 'hi');
    await send(env.client, [{ functionResponse: { id: '1', name: 't', response: {} } }]);
    const bodies = JSON.stringify(env.model.requests[1]?.body);
    expect([bodies.split('<hook_context>').length - 1, lastSaid(env.model, 0)]).toEqual([
      1,
      '<hook_context>&lt;/hook_context&gt;x</hook_context>',
    ]);
  });

  it('go unheard when they throw', async () => {
    await using env = await setUp([say('ok')], before(new Error('hook')));
    expect((await send(env.client, 'hi')).words).toEqual(['ok', 'finished']);
  });

  it('AfterAgent sees prompt and answer, sends the model back, and is told so', async () => {
    const seen: unknown[] = [];
    const decisions: AfterAgentDecision[] = [{ kind: 'block', reason: 'Add tests.' }, { kind: 'proceed' }];
    await using env = await setUp([say('Done.'), say('Now with tests.')], {
      hooks: {
        afterAgent: async (input) => {
          seen.push(input);
          return decisions.shift() ?? { kind: 'proceed' };
        },
      },
    });
    expect((await send(env.client, 'hi')).words).toEqual([
      'Done.',
      'finished',
      'agent_execution_blocked',
      'Now with tests.',
      'finished',
    ]);
    expect(seen).toEqual([
      { prompt: 'hi', response: 'Done.', stopHookActive: false },
      { prompt: 'Add tests.', response: 'Now with tests.', stopHookActive: true },
    ]);
  });

  it('AfterAgent stops the prompt and clears the context', async () => {
    await using env = await setUp([say('Done.')], {
      hooks: { afterAgent: async () => ({ kind: 'stop', reason: 'enough', clearContext: true }) },
    });
    expect((await send(env.client, 'hi')).events.at(-1)).toEqual({
      type: 'agent_execution_stopped',
      value: { reason: 'enough', hook: 'AfterAgent', contextCleared: true },
    });
    expect(env.chat.getHistory()).toEqual([]);
  });

  it('AfterAgent waits until the model has no more calls', async () => {
    let fired = 0;
    await using env = await setUp([answer(call('t', {}, { id: '1' })), say('ok')], {
      hooks: {
        afterAgent: async () => {
          fired++;
          return { kind: 'proceed' };
        },
      },
    });
    await send(env.client, 'hi');
    expect(fired).toBe(0);
    await send(env.client, [{ functionResponse: { id: '1', name: 't', response: {} } }]);
    expect(fired).toBe(1);
  });
});

describe('abandoned streams', () => {
  it('leave nothing running and the next request works', async () => {
    await using env = await setUp([answer(text('a'), ending('stall')), say('b')]);
    for await (const _event of env.client.sendMessageStream('hi', NEVER, 'p')) break;
    await env.model.waitForDisconnects(1);
    expect((await send(env.client, 'again', 'q')).words).toEqual(['b', 'finished']);
  });
});
