/**
 * Every event of the union, seen at the wire: real HTTP to a scripted model, through
 * createAgent as a surface would use it. Each prompt states its whole list of events, so
 * the test also holds the order docs/events.md promises.
 */

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  ALLOW_EVERYTHING,
  GeminiEventType,
  ToolRegistry,
  createAgent,
  createGeminiGenerator,
  defineTool,
} from '@castor/core';
import type { Agent, AgentEvent, AgentEventType, AgentOptions, Content, SessionEvent } from '@castor/core';
import {
  PER_DAY_QUOTA,
  answer,
  call,
  citation,
  createFakeClock,
  fakeModel,
  fault,
  finish,
  say,
  text,
  thought,
} from '@castor/testkit';
import type { Step } from '@castor/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

type EventName = `${AgentEventType}`;

/** Named one by one: an event that is added does not compile until it is seen here. */
const ALL: Record<EventName, true> = {
  content: true,
  thought: true,
  tool_call_request: true,
  tool_call_response: true,
  tool_call_confirmation: true,
  user_cancelled: true,
  error: true,
  chat_compressed: true,
  max_session_turns: true,
  finished: true,
  loop_detected: true,
  citation: true,
  retry: true,
  context_window_will_overflow: true,
  invalid_stream: true,
  model_info: true,
  agent_execution_stopped: true,
  agent_execution_blocked: true,
  prompt_started: true,
  prompt_ended: true,
  tool_call_updated: true,
  fallback_requested: true,
  fallback_answered: true,
  hook_message: true,
  notice: true,
  background_ended: true,
  mode_changed: true,
  tools_changed: true,
};

interface Scene {
  title: string;
  script: Step[];
  events: EventName[];
  outcome: string;
  /** Leaves events out of the comparison whose number is not the point. */
  only?: (type: EventName) => boolean;
  options?: Partial<AgentOptions>;
  /** What a person, or a surface for them, does on an event. */
  react?: (event: AgentEvent, agent: Agent, controller: AbortController) => void;
  /** The whole of one event, where its value is the point. */
  shows?: Partial<AgentEvent>;
}

const START: EventName[] = ['prompt_started', 'model_info'];
const END: EventName = 'prompt_ended';

const note = defineTool({
  name: 'note',
  displayName: 'Note',
  kind: 'edit',
  description: 'Writes something down.',
  schema: { type: 'object', properties: { words: { type: 'string' } }, required: ['words'] },
  describe: ({ words }) => words,
  confirm: async () => ({ type: 'info', title: 'Write it down?', prompt: 'Write it down?' }),
  execute: async () => ({ llmContent: 'written', returnDisplay: 'written' }),
});

const ASK = {
  tools: new ToolRegistry([note]),
  interactive: true,
  policy: { check: async () => ({ decision: 'ask_user' as const }), remember: async () => undefined },
};

/** Posts the event when the prompt begins, as a room beside the loop does. */
function postOnce(event: SessionEvent): NonNullable<Scene['react']> {
  return ({ type }, { session }) => {
    if (type === 'prompt_started') session.post(event);
  };
}

const BESIDE: SessionEvent[] = [
  { type: 'notice', level: 'warning', message: 'A rule is not in force.' },
  { type: 'background_ended', pid: 7, command: 'sleep 1', exitCode: 0 },
  { type: 'mode_changed', mode: 'plan' },
  { type: 'tools_changed', added: ['deploy'], removed: [] },
];

const proceed: Scene['react'] = (event, { session }) => {
  if (event.type === 'tool_call_confirmation') session.respond(event.value.request.callId, 'proceed_once');
};

const longHistory: Content[] = Array.from({ length: 40 }, (_, index) => ({
  role: index % 2 === 0 ? 'user' : 'model',
  parts: [{ text: `${index} ${'word '.repeat(400)}` }],
}));

const circling = (index: number): Step =>
  answer(call('note', { words: 'a' }, { id: `a${index}` }), call('note', { words: 'b' }, { id: `b${index}` }));
const circles = (count: number): EventName[] =>
  Array.from({ length: count }, () => [...CALLS, 'finished', ...CALLS_ANSWERED] as const).flat();
const CALLS = ['tool_call_request', 'tool_call_request'] as const;
const CALLS_ANSWERED = ['tool_call_response', 'tool_call_response'] as const;

const SCENES: Scene[] = [
  {
    title: 'an answer with thoughts and sources',
    script: [answer(thought('**Plan** first'), text('Paris'), citation('https://b'), citation('https://a', 'A'))],
    events: [...START, 'thought', 'content', 'citation', 'finished', END],
    outcome: 'completed',
    shows: { type: GeminiEventType.Citation, value: 'Citations:\n(A) https://a\nhttps://b' },
  },
  {
    title: 'a call that a person allows',
    script: [answer(call('note', { words: 'hi' }, { id: 'c1' })), say('done')],
    options: ASK,
    react: proceed,
    events: [
      ...START,
      'tool_call_request',
      'finished',
      'tool_call_updated',
      'tool_call_updated',
      'tool_call_confirmation',
      'tool_call_updated',
      'tool_call_updated',
      'tool_call_updated',
      'tool_call_updated',
      'tool_call_response',
      'content',
      'finished',
      END,
    ],
    outcome: 'completed',
  },
  {
    title: 'an attempt that broke',
    script: [fault('reset_mid_stream', { after: [text('void')] }), say('good')],
    events: [...START, 'content', 'retry', 'content', 'finished', END],
    outcome: 'completed',
  },
  {
    title: 'answers that are all empty',
    script: Array.from({ length: 4 }, () => fault('empty_answer')),
    events: [...START, 'retry', 'retry', 'retry', 'invalid_stream', END],
    outcome: 'invalid_stream',
  },
  {
    title: 'a request the service refuses',
    script: [fault(400)],
    events: [...START, 'error', END],
    outcome: 'failed',
    shows: {
      type: GeminiEventType.Error,
      value: {
        error: {
          message: 'Request contains an invalid argument.',
          status: 400,
          reason: 'invalid_request',
          retryable: false,
        },
      },
    },
  },
  {
    title: 'a session that has used its turns',
    script: [answer(call('note', { words: 'hi' }, { id: 'c1' }))],
    options: { limits: { maxSessionTurns: 1 } },
    events: [
      ...START,
      'tool_call_request',
      'finished',
      'tool_call_updated',
      'tool_call_updated',
      'tool_call_response',
      'max_session_turns',
      END,
    ],
    outcome: 'max_turns',
  },
  {
    title: 'a request that does not fit',
    script: [],
    options: { limits: { tokenLimit: () => 1 } },
    events: ['prompt_started', 'context_window_will_overflow', END],
    outcome: 'overflow',
    shows: {
      type: GeminiEventType.ContextWindowWillOverflow,
      value: { estimatedRequestTokenCount: 1, remainingTokenCount: 1 },
    },
  },
  {
    title: 'a history that has grown too long',
    script: [say('<state_snapshot>first</state_snapshot>'), say('<state_snapshot>short</state_snapshot>'), say('ok')],
    options: { history: longHistory, limits: { compressionThreshold: 0.01 } },
    events: ['prompt_started', 'chat_compressed', 'model_info', 'content', 'finished', END],
    outcome: 'completed',
  },
  {
    title: 'a model that goes in circles, is told so, and goes on',
    script: Array.from({ length: 8 }, (_, index) => circling(index)),
    options: { tools: new ToolRegistry([note]) },
    only: (type) => type !== 'tool_call_updated',
    events: [...START, ...circles(3), 'retry', ...circles(3), 'retry', 'loop_detected', END],
    outcome: 'loop_detected',
  },
  {
    title: 'a hook that stops the prompt',
    script: [],
    options: { hooks: { agent: { beforeAgent: async () => ({ kind: 'stop', reason: 'not today' }) } } },
    events: ['prompt_started', 'agent_execution_stopped', END],
    outcome: 'stopped',
    shows: { type: GeminiEventType.AgentExecutionStopped, value: { reason: 'not today' } },
  },
  {
    title: 'a hook that refuses the request',
    script: [],
    options: { hooks: { model: { beforeModel: async () => ({ kind: 'block', reason: 'secret' }) } } },
    events: [...START, 'agent_execution_blocked', END],
    outcome: 'blocked',
    shows: { type: GeminiEventType.AgentExecutionBlocked, value: { reason: 'secret' } },
  },
  {
    title: 'a hook with a word for the person',
    script: [say('hello')],
    react: postOnce({ type: 'hook_message', hookEvent: 'BeforeAgent', level: 'info', message: 'Mind the gap.' }),
    events: ['prompt_started', 'hook_message', 'model_info', 'content', 'finished', END],
    outcome: 'completed',
    shows: { type: 'hook_message', hookEvent: 'BeforeAgent', level: 'info', message: 'Mind the gap.' },
  },
  ...BESIDE.map((event) => ({
    title: `${event.type} beside the prompt`,
    script: [say('hello')],
    react: postOnce(event),
    events: ['prompt_started', event.type, 'model_info', 'content', 'finished', END] as EventName[],
    outcome: 'completed',
    shows: event,
  })),
  {
    title: 'a model without quota, and a person who takes the other one',
    script: [fault(429, { quotaId: PER_DAY_QUOTA }), say('from flash')],
    options: { model: 'gemini-2.5-pro', interactive: true },
    react: (event, { session }) => {
      if (event.type === 'fallback_requested') session.answerFallback(event.requestId, 'retry_always');
    },
    events: [...START, 'fallback_requested', 'fallback_answered', 'retry', 'content', 'finished', END],
    outcome: 'completed',
    shows: { type: GeminiEventType.FallbackAnswered, requestId: 'fallback-1', intent: 'retry_always' },
  },
  {
    title: 'a person who cancels in the middle',
    script: [answer(text('one'), text('two'), finish())],
    react: (event, _agent, controller) => {
      if (event.type === 'content') controller.abort();
    },
    events: [...START, 'content', 'user_cancelled', END],
    outcome: 'cancelled',
  },
];

describe('every event of the union', () => {
  let folder: string;
  const seen = new Set<EventName>();
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'castor-events-'));
  });
  afterAll(() => rm(folder, { recursive: true }));

  it.each(SCENES)('comes in its order: $title', async ({ script, events, outcome, options, react, shows, only }) => {
    await using model = await fakeModel(script);
    const agent = createAgent({
      generator: createGeminiGenerator({ apiKey: 'k', baseUrl: model.url }),
      model: 'gemini-2.5-flash',
      sessionId: 's',
      tempDirectory: folder,
      policy: ALLOW_EVERYTHING,
      clock: createFakeClock(),
      ...options,
    });
    const controller = new AbortController();
    const came: AgentEvent[] = [];
    for await (const event of agent.session.prompt('hello', controller.signal)) {
      came.push(event);
      seen.add(event.type);
      react?.(event, agent, controller);
    }
    expect(came.at(-1)).toMatchObject({ type: 'prompt_ended', outcome });
    expect(came.map(({ type }): EventName => type).filter(only ?? (() => true))).toEqual(events);
    expect(idsOf(came, 'tool_call_response')).toEqual(idsOf(came, 'tool_call_request'));
    if (shows) expect(came.find(({ type }) => type === shows.type)).toMatchObject(shows);
    // All of it is JSON: what a process on the other side of a pipe reads is what happened.
    expect(came.map((event) => (JSON.parse(JSON.stringify(event)) as AgentEvent).type)).toEqual(
      came.map(({ type }) => type),
    );
    expect(model.violations).toEqual([]);
  });

  it('tells the model that the calls of a circle did not run', async () => {
    await using model = await fakeModel([0, 1, 2, 3].map(circling).concat(say('done')));
    const { session } = createAgent({
      generator: createGeminiGenerator({ apiKey: 'k', baseUrl: model.url }),
      model: 'gemini-2.5-flash',
      sessionId: 's',
      tempDirectory: folder,
      tools: new ToolRegistry([note]),
      policy: ALLOW_EVERYTHING,
    });
    for await (const _event of session.prompt('hello', new AbortController().signal));
    const { contents } = model.requests.at(-1)?.body as { contents: Content[] };
    const response = { error: 'Not run: the call repeats an earlier call.' };
    expect(contents.at(-1)?.parts?.slice(0, 2)).toEqual([
      { functionResponse: { id: 'a3', name: 'note', response } },
      { functionResponse: { id: 'b3', name: 'note', response } },
    ]);
    expect(contents.at(-1)?.parts?.[2]?.text).toContain('Potential loop detected');
    model.assertDone();
  });

  it('was among them', () => {
    expect([...seen].toSorted()).toEqual(Object.keys(ALL).toSorted());
  });
});

/** The calls asked for, or answered: each is answered exactly once. */
function idsOf(events: readonly AgentEvent[], type: 'tool_call_request' | 'tool_call_response'): string[] {
  return events.flatMap((event) =>
    (event.type === GeminiEventType.ToolCallRequest || event.type === GeminiEventType.ToolCallResponse) &&
    event.type === type
      ? [event.value.callId]
      : [],
  );
}
