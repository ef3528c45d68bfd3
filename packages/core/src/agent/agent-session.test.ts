import {
  answer,
  bytes,
  call,
  createFakeClock,
  ending,
  fakeModel,
  fault,
  finish,
  gate,
  say,
  text,
} from '@castor/testkit';
import type { Script } from '@castor/testkit';
import { describe, expect, it } from 'vitest';
import { INTERRUPTED_ANSWER } from '../chat/conversation.ts';
import { GeminiChat } from '../chat/gemini-chat.ts';
import { GeminiClient } from '../client/gemini-client.ts';
import type { GeminiClientOptions } from '../client/gemini-client.ts';
import { LoopDetectionService } from '../client/loops/loop-detection.ts';
import { createGeminiGenerator } from '../provider/gemini/generator.ts';
import type { AgentEvent } from '../protocol/agent-events.ts';
import type { Content } from '../protocol/content.ts';
import { ToolError } from '../protocol/errors.ts';
import type { CompletedToolCall, ToolCallRequestInfo } from '../protocol/tool-calls.ts';
import type { ToolErrorType } from '../protocol/tools.ts';
import { AgentSession } from './agent-session.ts';
import type { SchedulerPort } from './scheduler-port.ts';

const NEVER = new AbortController().signal;
const MODEL = 'gemini-2.5-flash';

type Ending = { status?: CompletedToolCall['status']; errorType?: ToolErrorType };

/** Answers every call with its own name, or as it is told. */
class StubScheduler implements SchedulerPort {
  readonly ran: string[] = [];
  readonly answers: unknown[] = [];
  private readonly ending: Ending;

  constructor(ending: Ending = {}) {
    this.ending = ending;
  }

  steerChildren(): void {}

  async *run(requests: readonly ToolCallRequestInfo[]): AsyncGenerator<AgentEvent, CompletedToolCall[]> {
    const { status = 'success', errorType } = this.ending;
    const completed = requests.map((request) => {
      this.ran.push(request.name);
      const { callId, name } = request;
      return {
        status,
        request,
        response: {
          callId,
          responseParts: [{ functionResponse: { id: callId, name, response: { output: `${name} ran` } } }],
          resultDisplay: undefined,
          error: errorType && new ToolError('the end', errorType),
          errorType,
        },
      };
    });
    for (const { request } of completed) yield { type: 'tool_call_updated', callId: request.callId, status };
    return completed;
  }

  isWaiting(): boolean {
    return false;
  }

  findAskingChild(): undefined {
    return undefined;
  }

  respond(...answer: unknown[]): void {
    this.answers.push(answer);
  }
}

async function setUp(script: Script, options: Partial<GeminiClientOptions> & { scheduler?: StubScheduler } = {}) {
  const model = await fakeModel(script);
  const clock = createFakeClock();
  const generator = createGeminiGenerator({ baseUrl: model.url, apiKey: 'k' });
  const chat = new GeminiChat({ generator, model: MODEL, clock });
  const { scheduler = new StubScheduler(), ...clientOptions } = options;
  const client = new GeminiClient({
    chat,
    generator,
    model: MODEL,
    tokenLimit: () => 1_000_000,
    chooseModel: async () => ({ model: MODEL, isNew: false }),
    loopDetection: new LoopDetectionService({ clock }),
    ...clientOptions,
  });
  const recorded: AgentEvent[] = [];
  const session = new AgentSession({
    sessionId: 's',
    client,
    chat,
    scheduler,
    record: (event) => recorded.push(event),
  });
  return { model, chat, session, scheduler, recorded, [Symbol.asyncDispose]: () => model.close() };
}

async function collect(events: AsyncIterable<AgentEvent>): Promise<AgentEvent[]> {
  const seen: AgentEvent[] = [];
  for await (const event of events) seen.push(event);
  return seen;
}

const typesOf = (events: AgentEvent[]) => events.map(({ type }) => type);
const endOf = (events: AgentEvent[]) => events.at(-1);
const lastTurn = (body: unknown) => (body as { contents: Content[] }).contents.at(-1);

describe('AgentSession', () => {
  it('alternates model and tools until the model has nothing left to ask for', async () => {
    await using env = await setUp([
      answer(call('a', {}, { id: '1' }), call('b', {}, { id: '2' })),
      answer(call('c', {}, { id: '3' })),
      say('done'),
    ]);
    const events = await collect(env.session.prompt('go', NEVER, { text: 'go' }));
    expect(typesOf(events)).toEqual([
      'prompt_started',
      'tool_call_request',
      'tool_call_request',
      'finished',
      'tool_call_updated',
      'tool_call_updated',
      'tool_call_request',
      'finished',
      'tool_call_updated',
      'content',
      'finished',
      'prompt_ended',
    ]);
    expect([events[0], endOf(events), env.scheduler.ran]).toEqual([
      { type: 'prompt_started', prompt_id: 's########0', text: 'go' },
      { type: 'prompt_ended', prompt_id: 's########0', outcome: 'completed' },
      ['a', 'b', 'c'],
    ]);
    expect(lastTurn(env.model.requests[1]?.body)?.parts?.map((part) => part.functionResponse?.id)).toEqual(['1', '2']);
    env.model.assertDone();
  });

  it('records every event before it gives it out', async () => {
    await using env = await setUp([say('x')]);
    const counts: number[] = [];
    for await (const _event of env.session.prompt('go', NEVER)) counts.push(env.recorded.length);
    expect(counts).toEqual([1, 2, 3, 4]);
  });

  it('numbers its prompts', async () => {
    await using env = await setUp([say('a'), say('b')]);
    const ids = [];
    for (const input of ['1', '2']) ids.push((await collect(env.session.prompt(input, NEVER)))[0]);
    expect(ids).toMatchObject([{ prompt_id: 's########0' }, { prompt_id: 's########1' }]);
  });

  it.each([
    ['failed', [fault(400)], {}],
    ['invalid_stream', [fault('prompt_blocked')], {}, 'SAFETY_BLOCKED'],
    ['completed', [answer(text('half'), finish('MAX_TOKENS'))], {}, 'MAX_TOKENS'],
    ['completed', [answer(text('half'), call('a'), finish('MAX_TOKENS')), say('whole')], {}],
    ['max_turns', [answer(call('a'))], { maxSessionTurns: 1 }],
    ['overflow', [], { tokenLimit: () => -1 }],
    ['blocked', [], { hooks: { beforeAgent: async () => ({ kind: 'block', reason: 'no' }) as const } }],
    ['stopped', [], { hooks: { beforeAgent: async () => ({ kind: 'stop', reason: 'no' }) as const } }],
  ] as const)('ends as %s', async (outcome, script, options, reason?: string) => {
    await using env = await setUp(script, options);
    const ended = endOf(await collect(env.session.prompt('go', NEVER)));
    expect(ended).toMatchObject({ type: 'prompt_ended', outcome, ...(reason !== undefined && { reason }) });
    if (reason === undefined) expect(ended).not.toHaveProperty('reason');
  });

  it('ends as failed and throws when the credentials are refused', async () => {
    await using env = await setUp([fault(401)]);
    await expect(collect(env.session.prompt('go', NEVER))).rejects.toMatchObject({ name: 'UnauthorizedError' });
    expect(env.recorded.at(-1)).toMatchObject({
      type: 'prompt_ended',
      outcome: 'failed',
      error: { reason: 'unauthorized' },
    });
  });

  it('ends once and throws on a bug below', async () => {
    await using env = await setUp([answer(call('a'))]);
    env.scheduler.run = () => {
      throw new Error('bug');
    };
    await expect(collect(env.session.prompt('go', NEVER))).rejects.toThrow('bug');
    expect(typesOf(env.recorded).filter((type) => type === 'prompt_ended')).toEqual(['prompt_ended']);
  });

  it('stops when a tool says so, and remembers what the tools did', async () => {
    await using env = await setUp([answer(call('a', {}, { id: '1' })), say('ok')], {
      scheduler: new StubScheduler({ status: 'error', errorType: 'stop_execution' }),
    });
    expect(endOf(await collect(env.session.prompt('go', NEVER)))).toMatchObject({
      outcome: 'stopped',
      detail: 'the end',
    });
    await collect(env.session.prompt('go on', NEVER));
    const { contents } = env.model.requests[1]?.body as { contents: Content[] };
    expect(contents[2]?.parts?.[0]?.functionResponse?.response).toEqual({ output: 'a ran' });
    env.model.assertDone();
  });

  it('is cancelled when the person declines', async () => {
    await using env = await setUp([answer(call('a'))], { scheduler: new StubScheduler({ status: 'cancelled' }) });
    expect(endOf(await collect(env.session.prompt('go', NEVER)))).toMatchObject({ outcome: 'cancelled' });
  });

  it.each([
    ['goes on when the model does without', [answer(call('a')), say('There is no room.')], 'completed'],
    ['fails when it finds the disk full twice in a row', [answer(call('a')), answer(call('b'))], 'failed'],
  ])('tells the model that the disk is full, and %s', async (_, script, outcome) => {
    const scheduler = new StubScheduler({ status: 'error', errorType: 'no_space_left' });
    await using env = await setUp(script, { scheduler });
    expect(endOf(await collect(env.session.prompt('go', NEVER)))).toMatchObject({ outcome });
    env.model.assertDone();
  });

  it('reads words added on the way together with the next results', async () => {
    await using env = await setUp([answer(call('a', {}, { id: '1' })), say('ok')]);
    for await (const event of env.session.prompt('go', NEVER)) {
      if (event.type === 'tool_call_updated') env.session.steer('and hurry');
    }
    expect(lastTurn(env.model.requests[1]?.body)?.parts?.at(-1)).toEqual({ text: 'and hurry' });
  });

  it('does not end while there are words it has not read', async () => {
    await using env = await setUp([say('one'), say('two')]);
    let steered = false;
    const seen: AgentEvent[] = [];
    for await (const event of env.session.prompt('go', NEVER)) {
      seen.push(event);
      if (event.type === 'content' && !steered) {
        steered = true;
        env.session.steer('more');
      }
    }
    expect(typesOf(seen).filter((type) => type === 'content').length).toBe(2);
  });

  it('reads words a prompt could not say any more with the next one', async () => {
    await using env = await setUp([fault(400), say('ok')]);
    for await (const event of env.session.prompt('go', NEVER)) {
      if (event.type === 'error') env.session.steer('and hurry');
    }
    await collect(env.session.prompt('again', NEVER));
    expect(lastTurn(env.model.requests[1]?.body)?.parts).toEqual([{ text: 'and hurry' }, { text: 'again' }]);
  });

  it('shows nothing more of what arrived together once it is cancelled', async () => {
    const frame = (words: string) =>
      `data: ${JSON.stringify({ candidates: [{ content: { role: 'model', parts: [{ text: words }] } }] })}\n\n`;
    await using env = await setUp([
      answer(bytes(`${frame('a')}${frame('b')}${frame('c')}`), ending('stall')),
      say('ok'),
    ]);
    const controller = new AbortController();
    const seen: AgentEvent[] = [];
    for await (const event of env.session.prompt('go', controller.signal)) {
      seen.push(event);
      if (event.type === 'content') controller.abort();
    }
    expect(typesOf(seen).slice(-3)).toEqual(['content', 'user_cancelled', 'prompt_ended']);
    expect(typesOf(seen).filter((type) => type === 'content')).toEqual(['content']);
    await collect(env.session.prompt('again', NEVER));
    const { contents } = env.model.requests[1]?.body as { contents: Content[] };
    expect(contents.map(({ role, parts }) => [role, parts?.map(({ text: words }) => words)])).toEqual([
      ['user', ['go']],
      // Frames of one read are one piece.
      ['model', ['abc', INTERRUPTED_ANSWER]],
      ['user', ['again']],
    ]);
  });

  it('says that there was nothing to send', async () => {
    await using env = await setUp([]);
    expect(endOf(await collect(env.session.prompt([], NEVER)))).toEqual({
      type: 'prompt_ended',
      prompt_id: 's########0',
      outcome: 'failed',
      error: { message: 'The prompt is empty.' },
    });
  });

  it('runs one prompt at a time and steers none that is over', async () => {
    const hold = gate();
    await using env = await setUp([answer(text('a'), hold)]);
    const first = env.session.prompt('go', NEVER);
    await first.next();
    await expect(env.session.prompt('too', NEVER).next()).rejects.toThrow('busy');
    hold.release();
    await collect(first);
    expect(() => env.session.steer('late')).toThrow('No prompt is running');
  });

  it('passes answers down', async () => {
    await using env = await setUp([]);
    env.session.respond('1', 'proceed_once', { feedback: 'x' });
    expect(env.scheduler.answers).toEqual([['1', 'proceed_once', { feedback: 'x' }]]);
    expect(() => env.session.answerFallback('r', 'stop')).toThrow('no fallback questions');
  });

  it('leaves nothing running when its consumer leaves, and works again', async () => {
    await using env = await setUp([answer(text('a'), ending('stall')), say('b')]);
    for await (const event of env.session.prompt('go', NEVER)) if (event.type === 'content') break;
    await env.model.waitForDisconnects(1);
    expect(env.recorded.at(-1)).toMatchObject({ type: 'prompt_ended', outcome: 'cancelled' });
    expect(endOf(await collect(env.session.prompt('again', NEVER)))).toMatchObject({ outcome: 'completed' });
    expect(typesOf(env.recorded).filter((type) => type === 'prompt_ended').length).toBe(2);
  });
});

describe('an abort', () => {
  /** Aborts when the nth event arrives, for every n: each await of the loop is met by one of them. */
  const script = (): Script => [
    fault(503),
    answer(text('a'), call('t', {}, { id: '1' })),
    fault('reset_mid_stream'),
    say(['b', 'c']),
    say('next'),
  ];

  it.each(Array.from({ length: 13 }, (_, index) => index))(
    'at event %i ends the prompt once and leaves the session usable',
    async (at) => {
      await using env = await setUp(({ body }) => {
        const steps = script() as never[];
        const isNext = JSON.stringify(body).includes('afterwards');
        return isNext ? say('next') : (steps[Math.min(env.model.requests.length - 1, 3)] as never);
      });
      const controller = new AbortController();
      const seen: AgentEvent[] = [];
      for await (const event of env.session.prompt('go', controller.signal)) {
        if (seen.push(event) > at) controller.abort();
      }
      expect(typesOf(seen).filter((type) => type === 'prompt_ended')).toEqual(['prompt_ended']);
      expect(['cancelled', 'completed']).toContain((endOf(seen) as { outcome: string }).outcome);
      // Words of a failed attempt are void, but for those that were shown when the user cancelled.
      const kept = JSON.stringify(env.chat.getHistory()).replace(`"frame 1 "},{"text":"${INTERRUPTED_ANSWER}"`, '');
      expect(kept).not.toContain('frame 1');
      const after = await collect(env.session.prompt('afterwards', NEVER));
      expect(endOf(after)).toMatchObject({ outcome: 'completed' });
      expect(env.model.violations).toEqual([]);
      await env.model.waitForIdle();
    },
  );
});

describe('what happens beside a prompt', () => {
  const notice = (message: string) => ({ type: 'notice', level: 'info', message }) as const;

  it('is yielded at once by the open prompt, although the model is silent', async () => {
    const hold = gate();
    await using env = await setUp([answer(text('a'), hold, text('b'))]);
    const seen: string[] = [];
    for await (const event of env.session.prompt('hi', NEVER)) {
      seen.push(event.type === 'notice' ? event.message : event.type);
      if (event.type === 'content' && seen.length < 4) env.session.post(notice('while it waits'));
      if (event.type === 'notice') hold.release();
    }
    expect(seen).toEqual(['prompt_started', 'content', 'while it waits', 'content', 'finished', 'prompt_ended']);
    expect(env.recorded).toContainEqual(notice('while it waits'));
  });

  it('is yielded by events() between prompts, each once, until the session is closed', async () => {
    await using env = await setUp([say('a')]);
    env.session.post(notice('before'));
    const between: unknown[] = [];
    const following = (async () => {
      for await (const event of env.session.events()) between.push(event);
    })();
    await hasHappened();
    const within: AgentEvent[] = [];
    for await (const event of env.session.prompt('hi', NEVER)) {
      within.push(event);
      if (event.type === 'prompt_started') env.session.post(notice('within'));
    }
    env.session.post(notice('after'));
    env.session.close();
    await following;
    expect(between).toEqual([notice('before'), notice('after')]);
    expect(within.filter(({ type }) => type === 'notice')).toEqual([notice('within')]);
  });

  it('lets a consumer leave at a posted event while the model is silent', async () => {
    const hold = gate();
    await using env = await setUp([answer(text('a'), hold, text('b'))]);
    for await (const event of env.session.prompt('hi', NEVER)) {
      if (event.type === 'content') env.session.post(notice('now'));
      if (event.type === 'notice') break;
    }
    expect(env.session.isBusy).toBe(false);
    expect(env.recorded.at(-1)).toMatchObject({ type: 'prompt_ended', outcome: 'cancelled' });
    hold.release();
  });

  it('stays for the next consumer when one leaves, in a prompt or between prompts', async () => {
    await using env = await setUp([say('a')]);
    for await (const event of env.session.prompt('hi', NEVER)) {
      if (event.type === 'prompt_started') for (const name of ['1', '2', '3']) env.session.post(notice(name));
      if (event.type === 'notice') break;
    }
    for await (const event of env.session.events()) {
      expect(event).toEqual(notice('2'));
      break;
    }
    env.session.close();
    const rest: unknown[] = [];
    for await (const event of env.session.events()) rest.push(event);
    expect(rest).toEqual([notice('3')]);
    const recorded = env.recorded.filter(({ type }) => type === 'notice');
    expect(recorded).toEqual([notice('1'), notice('2'), notice('3')]);
  });

  it('stays for events() when a consumer leaves before its prompt yields it', async () => {
    await using env = await setUp([say('a')]);
    for await (const event of env.session.prompt('hi', NEVER)) {
      if (event.type !== 'content') continue;
      env.session.post(notice('unread'));
      break;
    }
    env.session.close();
    const seen: unknown[] = [];
    for await (const event of env.session.events()) seen.push(event);
    expect(seen).toEqual([notice('unread')]);
  });

  it('reaches one of two consumers, and closing the session ends both', async () => {
    await using env = await setUp([]);
    const seen: unknown[] = [];
    const follow = async () => {
      for await (const event of env.session.events()) seen.push(event);
    };
    const both = Promise.all([follow(), follow()]);
    await hasHappened();
    env.session.post(notice('once'));
    await hasHappened();
    env.session.close();
    await both;
    expect(seen).toEqual([notice('once')]);
  });

  it('answers a prompt without a model, and records none of it', async () => {
    await using env = await setUp([]);
    const types: string[] = [];
    for await (const event of env.session.answer('done')) types.push(event.type);
    expect(types).toEqual(['prompt_started', 'content', 'finished', 'prompt_ended']);
    expect(env.recorded).toEqual([]);
  });
});

/** The consumer has taken what was posted. */
async function hasHappened(): Promise<void> {
  await new Promise(setImmediate);
}
