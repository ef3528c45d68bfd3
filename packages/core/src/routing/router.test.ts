import { createFakeClock, fakeModel, say } from '@castor/testkit';
import { describe, expect, it } from 'vitest';
import { UtilityModel } from '../client/utility-model.ts';
import type { Content } from '../protocol/content.ts';
import type { Clock } from '../util/clock.ts';
import { ModelAvailability } from './availability.ts';
import type { AskJson, JsonQuestion } from './classifier.ts';
import { createGeminiGenerator } from '../provider/gemini/generator.ts';
import { createModelConfigResolver } from './model-configs.ts';
import { ModelRouter } from './router.ts';
import type { ModelRouterOptions, RoutingContext } from './router.ts';

const NEVER = new AbortController().signal;
const user = (text: string): Content => ({ role: 'user', parts: [{ text }] });
const agent = (text: string): Content => ({ role: 'model', parts: [{ text }] });
const calling: Content = { role: 'model', parts: [{ functionCall: { name: 'glob', args: {} } }] };
const answering: Content = { role: 'user', parts: [{ functionResponse: { name: 'glob', response: { output: '' } } }] };

/** Real questions must get the chance to be answered, so this clock's time limit never comes. */
function clockWithoutLimit(): Clock {
  return { ...createFakeClock(), sleep: () => new Promise(() => {}) };
}

function setUp(options: Partial<ModelRouterOptions> = {}) {
  const clock = options.clock ?? clockWithoutLimit();
  const availability = new ModelAvailability(clock);
  return { availability, router: new ModelRouter({ availability, clock, ...options }) };
}

function context(differences: Partial<RoutingContext> = {}): RoutingContext {
  return { requestedModel: 'auto', history: [], request: 'hi', prompt_id: 'p', signal: NEVER, ...differences };
}

function answers(answer: Record<string, unknown> | undefined) {
  const questions: JsonQuestion[] = [];
  const askJson: AskJson = async (question) => {
    questions.push(question);
    return answer;
  };
  return { questions, askJson };
}

describe('ModelRouter', () => {
  it('takes the configured model when nothing speaks for another', async () => {
    expect(await setUp().router.route(context())).toEqual({
      model: 'gemini-3-pro-preview',
      metadata: { source: 'agent-router/default', latencyMs: 0, reasoning: 'The configured model.' },
    });
    expect((await setUp({ preview: false }).router.route(context())).model).toBe('gemini-2.5-pro');
  });

  it('keeps to a model that was named, also in plan mode', async () => {
    const { router } = setUp();
    expect(await router.route(context({ requestedModel: 'flash', approvalMode: 'plan' }))).toEqual({
      model: 'gemini-3-flash-preview',
      metadata: { source: 'agent-router/override', latencyMs: 0, reasoning: 'The user named the model.' },
    });
    expect((await router.route(context({ requestedModel: ' mine ' }))).model).toBe('mine');
  });

  it('takes the first available of the chain when the requested model is not', async () => {
    const { router, availability } = setUp();
    availability.markTerminal('gemini-2.5-pro', 'replaced');
    expect(await router.route(context({ requestedModel: 'gemini-2.5-pro' }))).toEqual({
      model: 'gemini-2.5-flash',
      metadata: {
        source: 'agent-router/fallback',
        latencyMs: 0,
        reasoning: 'gemini-2.5-pro is unavailable (replaced).',
      },
    });
    availability.markTerminal('gemini-2.5-flash', 'quota');
    expect((await router.route(context({ requestedModel: 'gemini-2.5-pro' }))).metadata.source).toBe(
      'agent-router/override',
    );
  });

  it.each([
    ['auto', { approvalMode: 'plan' }, 'gemini-3-pro-preview', 'approval-mode'],
    ['auto', { approvalMode: 'plan', hasApprovedPlan: true }, 'gemini-3-pro-preview', 'approval-mode'],
    ['auto', { approvalMode: 'yolo', hasApprovedPlan: true }, 'gemini-3-flash-preview', 'approval-mode'],
    ['auto-gemini-2.5', { hasApprovedPlan: true }, 'gemini-2.5-flash', 'approval-mode'],
    ['auto-gemini-2.5', { approvalMode: 'plan' }, 'gemini-2.5-pro', 'approval-mode'],
    ['auto', { approvalMode: 'yolo' }, 'gemini-3-pro-preview', 'default'],
  ])('routes %s with %j to %s', async (requestedModel, mode, model, source) => {
    const decision = await setUp().router.route(context({ requestedModel, ...mode }));
    expect([decision.model, decision.metadata.source]).toEqual([model, `agent-router/${source}`]);
  });

  it('leaves plan mode out of it when told to', async () => {
    const { router } = setUp({ planRouting: false });
    const decision = await router.route(context({ hasApprovedPlan: true }));
    expect(decision.metadata.source).toBe('agent-router/default');
  });

  it('makes no side request unless it was asked to classify', async () => {
    const { questions, askJson } = answers({ complexity_reasoning: 'easy', complexity_score: 1 });
    await setUp({ askJson }).router.route(context());
    expect(questions).toEqual([]);
  });
});

describe('ModelRouter with a classifier', () => {
  it.each([
    [89, 'gemini-3-flash-preview'],
    [90, 'gemini-3-pro-preview'],
  ])('grades requests to Gemini 3 by number: %i', async (score, model) => {
    const { askJson } = answers({ complexity_reasoning: 'Because.', complexity_score: score });
    expect(await setUp({ classify: true, askJson }).router.route(context())).toEqual({
      model,
      metadata: {
        source: 'agent-router/numerical_classifier',
        latencyMs: 0,
        reasoning: `Score ${score} of 100, threshold 90. Because.`,
      },
    });
  });

  it('asks the others by name, in the family that was asked for', async () => {
    const { askJson } = answers({ reasoning: 'Small.', model_choice: 'flash' });
    const { router } = setUp({ classify: true, askJson });
    expect(await router.route(context({ requestedModel: 'auto-gemini-2.5' }))).toEqual({
      model: 'gemini-2.5-flash',
      metadata: { source: 'agent-router/classifier', latencyMs: 0, reasoning: 'Small.' },
    });
  });

  it('shows the last turns without those of tools, shortened, as one turn of the user', async () => {
    const { questions, askJson } = answers({ reasoning: '', model_choice: 'pro' });
    const history = [
      user('1'),
      agent('2'),
      user('3'),
      calling,
      answering,
      agent('x'.repeat(3_000)),
      user('5'),
      agent('6'),
    ];
    const { router } = setUp({ classify: true, askJson });
    await router.route(context({ requestedModel: 'auto-gemini-2.5', history, request: [{ text: 'go' }] }));
    expect(questions[0]?.contents).toEqual([
      user(`The conversation so far:\nUser: 3\nAgent: ${'x'.repeat(2_000)}…\nUser: 5\nAgent: 6\n\nThe request:\ngo`),
    ]);
  });

  it('names calls when it grades, but does not begin with one', async () => {
    const { questions, askJson } = answers({ complexity_reasoning: '', complexity_score: 5 });
    const history = [user('1'), calling, answering, agent('2'), user('3'), calling, answering, agent('4'), user('5')];
    await setUp({ classify: true, askJson }).router.route(context({ history: history.slice(1) }));
    expect(questions[0]?.contents).toEqual([
      user(
        'The conversation so far:\nAgent: 2\nUser: 3\nAgent: [calls glob]\nUser: [result of glob]\nAgent: 4\nUser: 5\n\n' +
          'The request:\nhi',
      ),
    ]);
  });

  it('does not ask by name about an answer to calls', async () => {
    const { questions, askJson } = answers({ reasoning: '', model_choice: 'pro' });
    const { router } = setUp({ classify: true, askJson });
    const request = [{ functionResponse: { name: 'glob', response: {} } }];
    const decision = await router.route(context({ requestedModel: 'auto-gemini-2.5', request }));
    expect([questions.length, decision.metadata.source]).toEqual([0, 'agent-router/default']);
  });

  it('does not choose a model that is unavailable', async () => {
    const { askJson } = answers({ complexity_reasoning: '', complexity_score: 5 });
    const { router, availability } = setUp({ classify: true, askJson });
    availability.markTerminal('gemini-3-flash-preview', 'quota');
    expect((await router.route(context())).metadata.source).toBe('agent-router/default');
  });

  it.each([
    ['rejects', async () => Promise.reject(new Error('offline')), 'offline'],
    [
      'throws',
      () => {
        throw new Error('broken');
      },
      'broken',
    ],
    ['is silent', async () => undefined, 'The classifier returned an invalid answer.'],
    ['talks nonsense', async () => ({ complexity_score: 'ninety' }), 'The classifier returned an invalid answer.'],
    ['exaggerates', async () => ({ complexity_score: 1_000 }), 'The classifier returned an invalid answer.'],
  ] satisfies [string, AskJson, string][])('goes on without a classifier that %s', async (_title, askJson, error) => {
    expect(await setUp({ classify: true, askJson }).router.route(context())).toEqual({
      model: 'gemini-3-pro-preview',
      metadata: { source: 'agent-router/default', latencyMs: 0, reasoning: 'The configured model.', error },
    });
  });

  it('waits five seconds for a classifier, then cancels its request and goes on', async () => {
    const clock = createFakeClock();
    let signal = NEVER;
    const askJson: AskJson = (question) => {
      signal = question.signal;
      return new Promise(() => {});
    };
    const decision = await setUp({ classify: true, askJson, clock }).router.route(context());
    expect(decision.metadata).toEqual({
      source: 'agent-router/default',
      latencyMs: 5_000,
      reasoning: 'The configured model.',
      error: 'The classifier took longer than 5000 ms.',
    });
    expect([clock.sleeps, signal.aborted]).toEqual([[5_000], true]);
  });

  it('ends with the signal, before and while it asks', async () => {
    const { askJson } = answers({ complexity_score: 5 });
    const { router } = setUp({ classify: true, askJson });
    await expect(router.route(context({ signal: AbortSignal.abort() }))).rejects.toMatchObject({ name: 'AbortError' });
    const controller = new AbortController();
    const leaving = setUp({
      classify: true,
      askJson: async () => {
        controller.abort();
        throw new DOMException('Aborted', 'AbortError');
      },
    });
    await expect(leaving.router.route(context({ signal: controller.signal }))).rejects.toMatchObject({
      name: 'AbortError',
    });
  });

  it('asks over the wire with the settings of its alias and a conversation the service takes', async () => {
    await using model = await fakeModel([say('{"complexity_reasoning": "Hard.", "complexity_score": 95}')]);
    const generator = createGeminiGenerator({ baseUrl: model.url, apiKey: 'k' });
    const utility = new UtilityModel({
      generator,
      resolveModel: createModelConfigResolver(),
      clock: createFakeClock(),
    });
    const { router } = setUp({
      classify: true,
      askJson: (question, schema) => utility.generateJson(question, schema),
    });
    const history = [agent('a model turn first'), calling, answering];
    expect((await router.route(context({ history }))).metadata.source).toBe('agent-router/numerical_classifier');
    expect(model.requests.map(({ path }) => path)).toEqual([
      expect.stringContaining('/models/gemini-3.1-flash-lite:generateContent'),
    ]);
    expect(model.requests[0]?.body).toMatchObject({
      generationConfig: { maxOutputTokens: 1024, responseMimeType: 'application/json' },
    });
    model.assertDone();
  });
});
