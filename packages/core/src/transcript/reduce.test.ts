import { describe, expect, it } from 'vitest';
import type { AgentEvent, Outcome } from '../protocol/agent-events.ts';
import { CompressionStatus, GeminiEventType } from '../protocol/events.ts';
import type { ToolCallRequestInfo, ToolCallResponseInfo } from '../protocol/tool-calls.ts';
import { SAMPLE_EVENTS, SAMPLE_LOG } from '../protocol/sample-events.fixture.ts';
import { reduce } from './reduce.ts';
import { createTranscriptStore } from './store.ts';
import { deriveStreamingState, StreamingState } from './streaming-state.ts';
import { allCalls } from './tool-group.ts';
import { createTranscript, getPendingItems } from './transcript.ts';
import type { Transcript } from './transcript.ts';
import { variants } from '../../../../test/house/variants.ts';

const start: AgentEvent = { type: 'prompt_started', prompt_id: 'p1', text: 'Hi' };
const finished: AgentEvent = { type: GeminiEventType.Finished, value: { reason: 'STOP', usageMetadata: undefined } };
const retry: AgentEvent = { type: GeminiEventType.Retry };

function say(value: string): AgentEvent {
  return { type: GeminiEventType.Content, value };
}

function think(subject: string): AgentEvent {
  return { type: GeminiEventType.Thought, value: { subject, description: '' } };
}

function end(outcome: Outcome): AgentEvent {
  return { type: 'prompt_ended', prompt_id: 'p1', outcome };
}

function ask(callId: string): AgentEvent {
  const value: ToolCallRequestInfo = { callId, name: 'tool', args: {}, isClientInitiated: false, prompt_id: 'p1' };
  return { type: GeminiEventType.ToolCallRequest, value };
}

function answer(callId: string, fields: Partial<ToolCallResponseInfo> = {}): AgentEvent {
  return {
    type: GeminiEventType.ToolCallResponse,
    value: { callId, responseParts: [], resultDisplay: undefined, error: undefined, errorType: undefined, ...fields },
  };
}

function fold(events: Iterable<AgentEvent>, from: Transcript = createTranscript()): Transcript {
  let state = from;
  for (const event of events) state = reduce(state, event);
  return state;
}

/** Committed items without ids, which most tests do not care about. */
function shown(state: Transcript): Record<string, unknown>[] {
  return [...state.committed].map(({ id: _id, ...item }) => item);
}

function texts(state: Transcript): string[] {
  return [...state.committed].map((item) => ('text' in item ? `${item.type}: ${item.text}` : item.type));
}

/** As text: comparing thousands of trees would take longer than folding them. */
function plain(state: Transcript): string {
  return JSON.stringify(state);
}

describe('reduce, for every event', () => {
  it.each(Object.values(SAMPLE_EVENTS))('takes $type with nothing before it', (event) => {
    expect(() => fold([event])).not.toThrow();
  });

  it.each(Object.values(SAMPLE_EVENTS))('takes $type in the middle of an answer and loses no item', (event) => {
    const before = fold([start, say('one\n\ntwo'), ask('c1')]);
    const after = reduce(before, event);
    expect([...after.committed].slice(0, before.committed.length)).toEqual([...before.committed]);
  });

  it('refuses an event it does not know', () => {
    expect(() => reduce(createTranscript(), { type: 'unknown' } as unknown as AgentEvent)).toThrow('unknown');
  });
});

describe('reduce, as a fold', () => {
  const random = (seed: number) => () => (seed = (seed * 48271) % 2147483647) / 2147483647;
  const samples = [...Object.values(SAMPLE_EVENTS), ...SAMPLE_LOG];
  const randomLog = (seed: number) => {
    const next = random(seed);
    return Array.from({ length: 200 }, () => samples[Math.floor(next() * samples.length)] as AgentEvent);
  };
  const logs = [SAMPLE_LOG, ...Array.from({ length: 40 }, (_, index) => randomLog(index + 1))];

  it('gives the same for a log and its replay, however it is batched', () => {
    for (const [index, log] of logs.entries()) {
      const next = random(index + 99);
      const store = createTranscriptStore();
      for (let from = 0; from < log.length;) {
        const to = from + 1 + Math.floor(next() * 10);
        store.dispatchAll(log.slice(from, to));
        from = to;
      }
      expect(plain(store.getSnapshot())).toEqual(plain(fold(log)));
    }
  });

  it('gives the same for a log that went through JSON', () => {
    for (const log of logs) {
      const replayed = JSON.parse(JSON.stringify(log, errorsAsStructured)) as AgentEvent[];
      expect(plain(fold(replayed))).toEqual(plain(fold(log)));
    }
  });

  it('never changes a state it has given out', () => {
    for (const log of logs.slice(0, 8)) {
      const states: Transcript[] = [];
      const before: string[] = [];
      let state = createTranscript();
      for (const event of log) {
        states.push(state);
        before.push(plain(state));
        state = reduce(state, event);
      }
      expect(states.map(plain)).toEqual(before);
      // Going on from an old state is a history of its own.
      const fork = states[Math.floor(states.length / 2)] as Transcript;
      reduce(fork, say('fork\n\n'));
      expect(plain(fold(log))).toEqual(plain(state));
    }
  });

  it('keeps the identity and the order of committed items', () => {
    let state = createTranscript();
    for (const event of SAMPLE_LOG) {
      const before = state.committed.slice();
      state = reduce(state, event);
      for (const [index, item] of before.entries()) expect(state.committed.at(index)).toBe(item);
    }
    const ids = [...state.committed].map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('leaves nothing pending when every prompt has ended', () => {
    const state = fold(SAMPLE_LOG);
    expect({
      pending: getPendingItems(state),
      prompt: state.prompt,
      question: state.question,
      retry: state.retry,
    }).toEqual({ pending: [], prompt: undefined, question: undefined, retry: undefined });
  });
});

describe('reduce, for the text of an answer', () => {
  it('commits whole paragraphs and keeps the last one pending', () => {
    const state = fold([start, say('one\n'), say('\ntw'), say('o')]);
    expect(shown(state)).toEqual([
      { type: 'user', text: 'Hi' },
      { type: 'gemini', text: 'one\n\n' },
    ]);
    expect(getPendingItems(state)).toMatchObject([{ type: 'gemini_content', text: 'two' }]);
  });

  it('commits the rest when the turn finishes', () => {
    expect(texts(fold([start, say('one\n\ntwo'), finished]))).toEqual([
      'user: Hi',
      'gemini: one\n\n',
      'gemini_content: two',
    ]);
  });

  it('loses no character of an answer that is streamed piece by piece', () => {
    const text = '# Title\n\n\n\ntext\n```ts\na\n\nb\n```\n\n- one\n\n- two\n\n```\nopen\n\nstill';
    const state = fold([start, ...Array.from(text, say), finished]);
    const pieces = [...state.committed].map((item) =>
      item.type.startsWith('gemini') && 'text' in item ? item.text : '',
    );
    expect(pieces.join('')).toBe(text);
  });

  it('begins a new answer, not a continuation, in the next turn', () => {
    const state = fold([start, say('one\n\ntwo'), finished, say('three'), finished]);
    expect(texts(state).at(-1)).toBe('gemini: three');
  });

  it('shows no item for an answer of blanks', () => {
    expect(texts(fold([start, say('\n'), say(' \n\n'), finished]))).toEqual(['user: Hi']);
  });

  it('names why an answer was cut short and keeps its text', () => {
    const state = fold([start, say('one'), { ...finished, value: { reason: 'MAX_TOKENS', usageMetadata: undefined } }]);
    expect(texts(state).slice(1)).toEqual([
      'gemini: one',
      'warning: The response was cut short: it reached the limit of output tokens (MAX_TOKENS).',
    ]);
  });

  it('names a finish reason it does not know', () => {
    const state = fold([start, { ...finished, value: { reason: 'SOMETHING_NEW', usageMetadata: undefined } }]);
    expect(texts(state).at(-1)).toContain('SOMETHING_NEW');
  });
});

describe('reduce, for a long answer', () => {
  const shapes: [title: string, piece: (index: number) => string][] = [
    ['one endless line', () => 'word '],
    ['short paragraphs', (index) => (index % 20 === 19 ? 'end.\n\n' : 'word ')],
    ['one endless code block', (index) => (index === 0 ? '```\n' : 'code();\n\n')],
    ['blank lines only', () => '\n'],
  ];

  variants.each(shapes)('does work in proportion to what arrives: %s', (_title, piece) => {
    const work = (count: number) => {
      const events = [start, ...Array.from({ length: count }, (_, index) => say(piece(index)))];
      return countWork(() => fold(events), count * 200);
    };
    const half = work(50_000);
    expect(half).toBeGreaterThan(50_000);
    expect(work(100_000)).toBeLessThan(half * 2.1);
  });

  it('does no more work for an event late in a session than early in it', () => {
    const short = fold(SAMPLE_LOG);
    const long = fold(Array.from({ length: 300 }, () => SAMPLE_LOG).flat());
    const work = (state: Transcript) => countWork(() => fold(SAMPLE_LOG, state));
    expect(long.committed.length).toBeGreaterThan(8000);
    // A chunk of the list may be closed on the way, which looks at the chunks there are.
    expect(work(long)).toBeLessThan(work(short) + 400);
  });
});

describe('reduce, for a retry', () => {
  it('drops the text of the failed attempt when none of it is committed', () => {
    const state = fold([start, say('It is a'), retry, say('It is b'), finished]);
    expect(texts(state)).toEqual(['user: Hi', 'gemini: It is b']);
  });

  it('says that text is void which it cannot take back', () => {
    const state = fold([start, say('one\n\ntwo\n\nthr'), retry, say('uno\n\ndos'), finished]);
    const [, void1, note, ...rest] = [...state.committed];
    expect(note).toEqual({
      id: note?.id,
      type: 'withdrawn',
      text: 'The text above was withdrawn: the attempt failed and the answer starts again.',
      firstId: void1?.id,
      lastId: void1?.id,
    });
    expect(rest.map(({ id: _id, ...item }) => item)).toEqual([
      { type: 'gemini', text: 'uno\n\n' },
      { type: 'gemini_content', text: 'dos' },
    ]);
  });

  it('names the first and the last item of the void text', () => {
    const state = fold([start, say('one\n\nt'), say('wo\n\nt'), say('hree\n\nf'), retry]);
    const items = [...state.committed];
    expect(items.at(-1)).toMatchObject({ firstId: items[1]?.id, lastId: items[3]?.id });
  });

  it('withdraws each attempt once', () => {
    const state = fold([start, say('one\n\ntwo'), retry, retry, say('uno\n\ndos'), retry, say('ok'), finished]);
    expect(texts(state).map((text) => text.split(':')[0])).toEqual([
      'user',
      'gemini',
      'withdrawn',
      'gemini',
      'withdrawn',
      'gemini',
    ]);
  });

  it('leaves the accepted text of earlier turns alone', () => {
    const state = fold([start, say('one\n\ntwo'), ask('c1'), finished, answer('c1'), say('thr'), retry]);
    expect(texts(state)).toEqual(['user: Hi', 'gemini: one\n\n', 'gemini_content: two', 'tool_group']);
  });

  it('drops the thought of the failed attempt', () => {
    const state = fold([start, think('A'), retry, think('B'), say('ok'), finished]);
    expect(shown(state).slice(1)).toEqual([
      { type: 'thinking', thought: { subject: 'B', description: '' } },
      { type: 'gemini', text: 'ok' },
    ]);
  });

  it('shows which attempt failed until the next one is heard of', () => {
    const waiting = fold([start, SAMPLE_EVENTS[GeminiEventType.Retry]]);
    expect(waiting.retry).toEqual(SAMPLE_EVENTS[GeminiEventType.Retry].value);
    expect(reduce(waiting, say('a')).retry).toBeUndefined();
  });

  it.each([SAMPLE_EVENTS[GeminiEventType.Error], SAMPLE_EVENTS[GeminiEventType.InvalidStream]])(
    'keeps what arrived before $type on the screen and says that it is void',
    (failure) => {
      const state = fold([start, say('one\n\ntwo'), failure]);
      expect(texts(state).map((text) => text.split(':')[0])).toEqual([
        'user',
        'gemini',
        'gemini_content',
        'withdrawn',
        'error',
      ]);
    },
  );
});

describe('reduce, for calls', () => {
  it('commits the text before a call above it', () => {
    const state = fold([start, say('Look:'), ask('c1')]);
    expect(texts(state)).toEqual(['user: Hi', 'gemini: Look:']);
    expect(getPendingItems(state)).toMatchObject([{ type: 'tool_group', continues: false, calls: [{ callId: 'c1' }] }]);
  });

  it('commits calls in the order of the model, each as soon as those before it are answered', () => {
    const asked = fold([start, ask('c1'), ask('c2'), ask('c3'), finished]);
    const second = reduce(asked, answer('c2'));
    expect(texts(second)).toEqual(['user: Hi']);
    const first = reduce(second, answer('c1'));
    expect(first.pendingGroup?.calls.map(({ callId }) => callId)).toEqual(['c3']);
    const third = reduce(first, answer('c3'));
    expect(third.pendingGroup).toBeUndefined();
    const groups = [...third.committed].filter((item) => item.type === 'tool_group');
    expect(groups.map(({ calls, continues }) => [calls.map(({ callId }) => callId), continues])).toEqual([
      [['c1', 'c2'], false],
      [['c3'], true],
    ]);
  });

  it('commits a call with what a person needs of it', () => {
    const state = fold([
      start,
      { type: GeminiEventType.ToolCallRequest, value: SAMPLE_EVENTS[GeminiEventType.ToolCallRequest].value },
      SAMPLE_EVENTS[GeminiEventType.ToolCallConfirmation],
      SAMPLE_EVENTS.tool_call_updated,
      SAMPLE_EVENTS[GeminiEventType.ToolCallResponse],
    ]);
    expect(shown(state).at(-1)).toEqual({
      type: 'tool_group',
      continues: false,
      calls: [
        {
          callId: 'run_shell_command-1',
          name: 'run_shell_command',
          display: { name: 'Shell', description: 'npm test' },
          status: 'success',
          output: '',
          omittedOutput: 0,
          pid: 4711,
          result: '12 passed',
        },
      ],
    });
  });

  it('shows what is asked while a call waits, and no longer', () => {
    const asking = fold([start, ask('run_shell_command-1'), SAMPLE_EVENTS[GeminiEventType.ToolCallConfirmation]]);
    expect(asking.pendingGroup?.calls[0]).toMatchObject({
      status: 'awaiting_approval',
      confirmation: SAMPLE_EVENTS[GeminiEventType.ToolCallConfirmation].value.details,
    });
    const going = reduce(asking, { type: 'tool_call_updated', callId: 'run_shell_command-1', status: 'scheduled' });
    expect(going.pendingGroup?.calls[0]).not.toHaveProperty('confirmation');
  });

  it('appends live output and keeps a bounded end of it', () => {
    const update = (output: string): AgentEvent => ({
      type: 'tool_call_updated',
      callId: 'c1',
      status: 'executing',
      output,
    });
    const some = fold([start, ask('c1'), update('a'), update('b')]);
    expect(some.pendingGroup?.calls[0]).toMatchObject({ output: 'ab', omittedOutput: 0 });
    const much = fold(
      Array.from({ length: 1000 }, () => update('x'.repeat(1000))),
      some,
    );
    const call = much.pendingGroup?.calls[0];
    expect(call?.output.length).toBeLessThanOrEqual(200_000);
    expect((call?.output.length ?? 0) + (call?.omittedOutput ?? 0)).toBe(1_000_002);
  });

  it('shows the output of the last attempt alone when a command runs again', () => {
    const update = (fields: object): AgentEvent => ({
      type: 'tool_call_updated',
      callId: 'c1',
      status: 'executing',
      ...fields,
    });
    const first = [start, ask('c1'), update({ pid: 1 }), update({ pid: 1, output: 'Permission denied' })];
    const again = fold([...first, update({ pid: 2 }), update({ output: 'made' })]);
    expect(again.pendingGroup?.calls[0]).toMatchObject({ output: 'made', pid: 2 });
    // A command that prints nothing has an empty result, not the output of the attempt before.
    const silent = fold([...first, answer('c1', { resultDisplay: '' })]);
    expect(shown(silent).at(-1)).toMatchObject({ calls: [{ status: 'success', output: '' }] });
  });

  it('keeps of an edit the diff, not the files', () => {
    const diff = { fileDiff: '@@', fileName: 'a', filePath: '/a' };
    const state = fold([
      start,
      ask('c1'),
      answer('c1', { resultDisplay: { ...diff, originalContent: 'old', newContent: 'new' } }),
    ]);
    expect(shown(state).at(-1)).toMatchObject({ calls: [{ result: diff }] });
    expect(JSON.stringify(shown(state))).not.toContain('originalContent');
  });

  it('keeps the live output of a call that ended without a result', () => {
    const state = fold([
      start,
      ask('c1'),
      { type: 'tool_call_updated', callId: 'c1', status: 'executing', output: 'half' },
      { type: 'tool_call_updated', callId: 'c1', status: 'cancelled' },
      answer('c1', { error: new Error('[Operation Cancelled] by the user') }),
    ]);
    expect(shown(state).at(-1)).toMatchObject({ calls: [{ status: 'cancelled', output: 'half' }] });
  });

  it('never moves a call out of a terminal status', () => {
    const state = fold([
      start,
      ask('c1'),
      { type: 'tool_call_updated', callId: 'c1', status: 'error' },
      { type: 'tool_call_updated', callId: 'c1', status: 'executing' },
      answer('c1'),
    ]);
    expect(shown(state).at(-1)).toMatchObject({ calls: [{ status: 'error' }] });
  });

  it('changes nothing for a call it does not know, twice asked for, or already answered', () => {
    const state = fold([start, ask('c1'), ask('c2'), answer('c2')]);
    expect(reduce(state, answer('c9'))).toBe(state);
    expect(reduce(state, ask('c1'))).toBe(state);
    expect(reduce(state, { type: 'tool_call_updated', callId: 'c2', status: 'executing' })).toBe(state);
  });

  it('ends calls as cancelled that were never answered', () => {
    const state = fold([start, ask('c1'), ask('c2'), answer('c2'), end('failed')]);
    expect(shown(state)[1]).toMatchObject({
      calls: [
        { callId: 'c1', status: 'cancelled' },
        { callId: 'c2', status: 'success' },
      ],
    });
  });
});

describe('reduce, for thoughts', () => {
  it('shows the last thought until something else happens, then keeps it as an item', () => {
    const thinking = fold([start, think('A'), think('B')]);
    expect(thinking.thought?.thought.subject).toBe('B');
    const answering = reduce(thinking, say('ok'));
    expect(answering.thought).toBeUndefined();
    expect(texts(answering)).toEqual(['user: Hi', 'thinking', 'thinking']);
  });

  it('does not break a paragraph in two', () => {
    expect(texts(fold([start, say('one '), think('A'), say('line'), finished]))).toEqual([
      'user: Hi',
      'thinking',
      'gemini: one line',
    ]);
  });
});

describe('reduce, for the end of a prompt', () => {
  it('says once that the request was cancelled and shows nothing of the answer after that', () => {
    const cancelled: AgentEvent = { type: GeminiEventType.UserCancelled };
    const state = fold([start, say('Hel'), cancelled, say('lo'), think('A'), cancelled, end('cancelled')]);
    expect(texts(state)).toEqual(['user: Hi', 'gemini: Hel', 'cancelled: Request cancelled.']);
  });

  it('marks open calls cancelled when the person cancels', () => {
    const state = fold([start, ask('c1'), { type: GeminiEventType.UserCancelled }]);
    expect(shown(state).slice(1)).toMatchObject([
      { type: 'tool_group', calls: [{ callId: 'c1', status: 'cancelled' }] },
      { type: 'cancelled' },
    ]);
  });

  const endings: [Outcome, AgentEvent][] = [
    ['cancelled', SAMPLE_EVENTS[GeminiEventType.UserCancelled]],
    ['failed', SAMPLE_EVENTS[GeminiEventType.Error]],
    ['max_turns', SAMPLE_EVENTS[GeminiEventType.MaxSessionTurns]],
    ['loop_detected', SAMPLE_EVENTS[GeminiEventType.LoopDetected]],
    ['overflow', SAMPLE_EVENTS[GeminiEventType.ContextWindowWillOverflow]],
    ['invalid_stream', SAMPLE_EVENTS[GeminiEventType.InvalidStream]],
    ['stopped', { type: GeminiEventType.AgentExecutionStopped, value: { reason: 'r' } }],
    ['blocked', { type: GeminiEventType.AgentExecutionBlocked, value: { reason: 'r' } }],
  ];

  it.each(endings)('names %s once when an event explained it', (outcome, event) => {
    expect(fold([start, event, end(outcome)]).committed.length).toBe(2);
  });

  it.each(endings)('names %s also when no event explained it', (outcome) => {
    const [, note, ...more] = shown(fold([start, end(outcome)]));
    expect(note).toMatchObject({ text: expect.stringMatching(/\w/) });
    expect(more).toEqual([]);
  });

  it('names the outcome when another one was explained before', () => {
    const state = fold([start, SAMPLE_EVENTS[GeminiEventType.InvalidStream], say('ok'), finished, end('max_turns')]);
    expect(texts(state).at(-1)).toBe('warning: The request stopped at the turn limit.');
  });

  it('says what the error was when only the end tells', () => {
    const state = fold([
      start,
      { type: 'prompt_ended', prompt_id: 'p1', outcome: 'failed', error: { message: 'boom' } },
    ]);
    expect(shown(state).at(-1)).toMatchObject({
      ...{ type: 'error', text: 'boom', about: 'prompt_ended' },
      error: { message: 'boom' },
    });
  });

  it('says nothing of a success', () => {
    expect(texts(fold([start, say('ok'), finished, end('completed')]))).toEqual(['user: Hi', 'gemini: ok']);
  });

  it('leaves the prompt open when another one ends', () => {
    const state = fold([start, { type: 'prompt_ended', prompt_id: 'other', outcome: 'failed' }]);
    expect([state.prompt?.prompt_id, texts(state)]).toEqual(['p1', ['user: Hi']]);
  });
});

describe('reduce, for what the client says', () => {
  it('shows that the history was compressed', () => {
    expect(shown(fold([SAMPLE_EVENTS[GeminiEventType.ChatCompressed]]))).toEqual([
      {
        type: 'compression',
        text: 'Chat history compressed from 9000 to 1200 tokens.',
        originalTokenCount: 9000,
        newTokenCount: 1200,
        compressionStatus: CompressionStatus.COMPRESSED,
      },
    ]);
  });

  it.each([
    [CompressionStatus.COMPRESSION_FAILED_INFLATED_TOKEN_COUNT, 'warning'],
    [CompressionStatus.COMPRESSION_FAILED_TOKEN_COUNT_ERROR, 'warning'],
    [CompressionStatus.COMPRESSION_FAILED_EMPTY_SUMMARY, 'warning'],
    [CompressionStatus.CONTENT_TRUNCATED, 'compression'],
    [CompressionStatus.NOOP, undefined],
  ])('shows compression status %i as %s', (compressionStatus, type) => {
    const value = { originalTokenCount: 10, newTokenCount: 9, compressionStatus };
    expect(shown(fold([{ type: GeminiEventType.ChatCompressed, value }]))[0]?.['type']).toBe(type);
  });

  it('says nothing when there was nothing to compress', () => {
    expect(shown(fold([{ type: GeminiEventType.ChatCompressed, value: null }]))).toEqual([]);
  });

  it('remembers the model and shows it', () => {
    const state = fold([SAMPLE_EVENTS[GeminiEventType.ModelInfo]]);
    expect([state.model, shown(state)]).toEqual(['gemini-2.5-pro', [{ type: 'model', model: 'gemini-2.5-pro' }]]);
  });

  it('says when a hook cleared the conversation', () => {
    expect(texts(fold([SAMPLE_EVENTS[GeminiEventType.AgentExecutionStopped]]))).toEqual([
      'info: Agent execution stopped: A hook ended the prompt.',
      'info: The conversation was cleared.',
    ]);
  });

  it('holds the question about another model until it is answered', () => {
    const { type: _type, ...question } = SAMPLE_EVENTS.fallback_requested;
    const asking = fold([start, SAMPLE_EVENTS.fallback_requested]);
    expect(asking.question).toEqual(question);
    expect(
      reduce(asking, { type: GeminiEventType.FallbackAnswered, requestId: 'other', intent: 'stop' }).question,
    ).toEqual(question);
    const answered = reduce(asking, SAMPLE_EVENTS.fallback_answered);
    expect([answered.question, texts(answered).at(-1)]).toEqual([
      undefined,
      'info: gemini-2.5-flash replaces gemini-2.5-pro.',
    ]);
  });

  it('drops the question when the prompt ends', () => {
    expect(fold([start, SAMPLE_EVENTS.fallback_requested, end('cancelled')]).question).toBeUndefined();
  });
});

/** What a session log does with the one Error in the vocabulary. */
function errorsAsStructured(_key: string, value: unknown): unknown {
  return value instanceof Error ? { message: value.message } : value;
}

/**
 * How much a function looks at: the characters of strings and the elements of arrays
 * that go through the methods with which one could read either as a whole. Gives up at
 * the limit, so that a fold that has become quadratic fails instead of running for an hour.
 */
function countWork(run: () => void, limit = Infinity): number {
  let work = 0;
  const restore: (() => void)[] = [];
  const count = (owner: object, name: PropertyKey, weigh: (self: { length: number }, args: unknown[]) => number) => {
    const original = Object.getOwnPropertyDescriptor(owner, name) as PropertyDescriptor;
    const method = original.value as (...args: unknown[]) => unknown;
    Object.defineProperty(owner, name, {
      ...original,
      value(this: { length: number }, ...args: unknown[]) {
        work += weigh(this, args);
        if (work > limit) throw new Error(`More than ${limit} characters and elements were looked at.`);
        return Reflect.apply(method, this, args);
      },
    });
    restore.push(() => Object.defineProperty(owner, name, original));
  };
  const whole = (self: { length: number }) => self.length;
  for (const name of ['slice', 'includes', 'split', 'trim', 'lastIndexOf']) count(String.prototype, name, whole);
  count(String.prototype, 'indexOf', (self, [, from]) => self.length - (typeof from === 'number' ? from : 0));
  for (const name of ['exec', 'test']) count(RegExp.prototype, name, (_self, [text]) => String(text).length);
  for (const name of ['slice', 'map', 'concat', 'findIndex', 'some', 'with', 'findLast']) {
    count(Array.prototype, name, whole);
  }
  count(Array.prototype, Symbol.iterator, whole);
  try {
    run();
  } finally {
    // The loop below goes through a counted method itself.
    limit = Infinity;
    for (const undo of restore) undo();
  }
  return work;
}

describe('reduce, for a child session', () => {
  const of = (parentCallId: string, event: AgentEvent): AgentEvent => ({ ...event, parentCallId });
  const child = (state: Transcript) => state.pendingGroup?.calls[0]?.child;

  it.each<[string, AgentEvent]>([
    ['answered', { type: GeminiEventType.FallbackAnswered, requestId: 'f', intent: 'stop' }],
    ['cancelled', { type: 'prompt_ended', prompt_id: 'child', outcome: 'cancelled' }],
  ])('asks its question about another model, with its address, until it is %s', (_how, end) => {
    const question = { requestId: 'f', failedModel: 'pro', fallbackModel: 'flash', message: 'Switch?' };
    const asking = fold([start, ask('a'), of('a', { type: GeminiEventType.FallbackRequested, ...question })]);
    expect(asking.question).toEqual({ ...question, parentCallId: 'a' });
    expect(reduce(asking, of('b', end)).question).toBe(asking.question);
    expect(reduce(asking, of('a', end)).question).toBeUndefined();
  });

  it('keeps its text and its calls out of the parent’s answer', () => {
    const state = fold([
      start,
      say('mine'),
      ask('a'),
      of('a', say('the child’s')),
      of('a', ask('b')),
      of('a', say('more')),
    ]);
    expect(texts(state)).toEqual(['user: Hi', 'gemini: mine']);
    expect(state.pendingText).toBeUndefined();
    expect(child(state)).toMatchObject({
      text: 'more',
      calls: [{ callId: 'b', status: 'validating' }],
      omittedCalls: 0,
    });
  });

  it('counts the tokens of its requests, and at its end what it spent', () => {
    const usage = (totalTokenCount: number): AgentEvent =>
      of('a', { type: GeminiEventType.Finished, value: { reason: 'STOP', usageMetadata: { totalTokenCount } } });
    const running = fold([start, ask('a'), usage(1_200), usage(800)]);
    expect(child(running)?.tokens).toBe(2_000);
    const ended = reduce(running, answer('a', { data: { agentId: 'r-1', tokens: 2_500, usd: 0.03 } }));
    expect(shown(ended).at(-1)).toMatchObject({ calls: [{ spent: { tokens: 2_500, usd: 0.03 } }] });
  });

  it('does not take the end of its prompt for the parent’s', () => {
    const state = fold([start, ask('a'), of('a', { ...start }), of('a', end('completed'))]);
    expect(state.prompt?.prompt_id).toBe('p1');
  });

  it('waits for an answer to its question, at any depth', () => {
    const question: AgentEvent = {
      type: GeminiEventType.ToolCallConfirmation,
      value: {
        request: { callId: 'c', name: 'tool', args: {}, isClientInitiated: false, prompt_id: 'p1' },
        details: { type: 'info', title: 'Sure?', prompt: 'x' },
      },
    };
    const state = fold([start, ask('a'), of('a', ask('b')), of('b', ask('c')), of('b', question)]);
    expect(deriveStreamingState(state)).toBe(StreamingState.WaitingForConfirmation);
    expect([...allCalls(state.pendingGroup!.calls)].map(({ callId, status }) => [callId, status])).toEqual([
      ['a', 'validating'],
      ['b', 'validating'],
      ['c', 'awaiting_approval'],
    ]);
  });

  it('counts the calls it no longer keeps, and keeps those that are open', () => {
    const calls = Array.from({ length: 30 }, (_, index) => `c${index}`);
    const events = calls.flatMap((callId) => [of('a', ask(callId)), of('a', answer(callId))]);
    const state = fold([start, ask('a'), ...events]);
    expect(child(state)).toMatchObject({ omittedCalls: 10 });
    expect(child(state)?.calls.map(({ callId }) => callId)).toEqual(calls.slice(10));
  });
});
