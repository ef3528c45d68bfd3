/**
 * What a model that cannot answer costs before another does: how many requests each
 * model saw, what was waited for, and what the person was asked. Real HTTP, our own clock.
 */

import { tmpdir } from 'node:os';
import { createAgent, createGeminiGenerator } from '@castor/core';
import type { AgentEvent, AgentOptions, FallbackIntent } from '@castor/core';
import { PER_DAY_QUOTA, createFakeClock, fakeModel, fault, say } from '@castor/testkit';
import type { ModelRequest, Step } from '@castor/testkit';
import { describe, expect, it } from 'vitest';

const PRO = 'gemini-2.5-pro';
const FLASH = 'gemini-2.5-flash';
const AUTO = 'auto-gemini-2.5';
const NO_CAPACITY = fault(429, { errorInfo: { reason: 'MODEL_CAPACITY_EXHAUSTED' } });

interface SetUp {
  pro: Step;
  flash?: Step;
  model?: string;
  interactive?: boolean;
  /** What the person answers to each question. */
  intent?: FallbackIntent;
}

async function setUp({ pro, flash = say('from flash'), model: requested = PRO, interactive = true, intent }: SetUp) {
  const model = await fakeModel(({ model: asked }: ModelRequest) => (asked === PRO ? pro : flash));
  const clock = createFakeClock();
  const options: AgentOptions = {
    generator: createGeminiGenerator({ apiKey: 'k', baseUrl: model.url }),
    model: requested,
    sessionId: 's',
    tempDirectory: tmpdir(),
    interactive,
    clock,
  };
  const { session, chat, ledger } = createAgent(options);

  /** What one prompt asked of whom. */
  async function prompt() {
    const [before, slept] = [model.requests.length, clock.sleeps.length];
    const events: AgentEvent[] = [];
    for await (const event of session.prompt('hi', new AbortController().signal)) {
      events.push(event);
      if (event.type === 'fallback_requested' && intent) session.answerFallback(event.requestId, intent);
    }
    const asked = model.requests.slice(before).map((request) => request.model);
    const end = events.findLast((event) => event.type === 'prompt_ended');
    return {
      pro: asked.filter((name) => name === PRO).length,
      flash: asked.filter((name) => name === FLASH).length,
      waits: clock.sleeps.slice(slept).filter((ms) => ms > 0),
      questions: events.filter(({ type }) => type === 'fallback_requested').length,
      outcome: end?.outcome,
    };
  }
  return { prompt, chat, ledger, [Symbol.asyncDispose]: () => model.close() };
}

describe('a model that is too busy', () => {
  it('is given up after three requests when the choice was ours, and tried once in each later prompt', async () => {
    await using env = await setUp({ pro: fault(429), model: AUTO, interactive: false });
    expect(await env.prompt()).toMatchObject({ pro: 3, flash: 1, questions: 0, outcome: 'completed' });
    expect(await env.prompt()).toMatchObject({ pro: 1, flash: 1, waits: [], outcome: 'completed' });
  });

  it('gets all ten requests when no model can take over', async () => {
    await using env = await setUp({ pro: fault(429), interactive: false });
    expect(await env.prompt()).toMatchObject({ pro: 10, flash: 0, questions: 0, outcome: 'failed' });
  });

  it('is waited for at the pace of the server, whatever ours would be', async () => {
    await using env = await setUp({ pro: fault(429, { retryDelay: '42s' }), model: AUTO, interactive: false });
    const { waits } = await env.prompt();
    expect(waits).toHaveLength(2);
    for (const ms of waits) expect(ms).toSatisfy((wait: number) => wait >= 42_000 && wait <= 42_000 * 1.2);
  });
});

describe('a model without room', () => {
  it('gets one and three seconds before the person is asked', async () => {
    await using env = await setUp({ pro: NO_CAPACITY, intent: 'retry_once' });
    expect(await env.prompt()).toEqual({
      pro: 3,
      flash: 1,
      waits: [1_000, 3_000],
      questions: 1,
      outcome: 'completed',
    });
  });

  it('gets all ten requests where no user can be asked', async () => {
    await using env = await setUp({ pro: NO_CAPACITY, interactive: false });
    expect(await env.prompt()).toMatchObject({ pro: 10, questions: 0, outcome: 'failed' });
  });
});

describe('a model without quota', () => {
  it('is asked once, and no more once the person chose the other for good', async () => {
    await using env = await setUp({ pro: fault(429, { quotaId: PER_DAY_QUOTA }), intent: 'retry_always' });
    expect(await env.prompt()).toEqual({ pro: 1, flash: 1, waits: [], questions: 1, outcome: 'completed' });
    expect(await env.prompt()).toEqual({ pro: 0, flash: 1, waits: [], questions: 0, outcome: 'completed' });
  });

  it('fails the prompt when the person says no, and leaves no trace', async () => {
    await using env = await setUp({ pro: fault(429, { quotaId: PER_DAY_QUOTA }), intent: 'stop' });
    expect(await env.prompt()).toMatchObject({ pro: 1, flash: 0, questions: 1, outcome: 'failed' });
    expect([env.chat.getHistory(), env.ledger.spentTokens]).toEqual([[], 0]);
  });
});
