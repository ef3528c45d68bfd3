import { describe, expect, it } from 'vitest';
import type { Content } from '../../protocol/content.ts';
import { GeminiEventType } from '../../protocol/events.ts';
import type { ServerGeminiStreamEvent } from '../../protocol/events.ts';
import type { Clock } from '../../util/clock.ts';
import { createAbortError } from '../../util/clock.ts';
import { LoopDetectionService } from './loop-detection.ts';
import type { LoopDetectionOptions } from './loop-detection.ts';
import type { LoopJudge, LoopJudgeInput, LoopJudgement } from './loop-judge.ts';

const SENTENCE = 'I will now check the file again to be very sure.. ';
const signal = new AbortController().signal;

function say(value: string): ServerGeminiStreamEvent {
  return { type: GeminiEventType.Content, value };
}

/** The loop the event closes, if it does. */
function check(service: LoopDetectionService, event: ServerGeminiStreamEvent) {
  return service.addAndCheck(event) ? service.lastLoop : undefined;
}

/** A prompt that alternates calls and their answers, as the client does. */
function createRun(options: LoopDetectionOptions = {}) {
  const service = new LoopDetectionService(options);
  service.reset('p1', 'Do it.');
  let calls = 0;
  return {
    service,
    /** One turn with one call. The answer is noted unless the call was a detection, which is not run. */
    call(name: string, args: Record<string, unknown>, response: Record<string, unknown>) {
      const callId = `call-${++calls}`;
      const value = { callId, name, args, isClientInitiated: false, prompt_id: 'p1' };
      const count = check(service, { type: GeminiEventType.ToolCallRequest, value })?.count ?? 0;
      if (count === 0) service.noteResponses([{ functionResponse: { id: callId, name, response } }]);
      return count;
    },
  };
}

/** A prompt that has asked three times for the same, which is no cycle yet but a reason to ask a model. */
function createSuspiciousRun(options: LoopDetectionOptions) {
  const run = createRun(options);
  for (const path of ['a', 'b', 'a', 'c', 'a']) run.call('read_file', { path }, { output: 'same' });
  return run;
}

describe('LoopDetectionService, for calls', () => {
  it('reports an identical failing call at the third and the sixth request', () => {
    const run = createRun();
    const counts = Array.from({ length: 6 }, () => run.call('replace', { old: 'a' }, { error: '0 occurrences found' }));
    expect(counts).toEqual([0, 0, 1, 0, 0, 2]);
  });

  it('reports identical successful calls at the fifth and the tenth request', () => {
    const run = createRun();
    const counts = Array.from({ length: 10 }, () => run.call('read_file', { path: 'a' }, { output: 'same' }));
    expect(counts).toEqual([0, 0, 0, 0, 1, 0, 0, 0, 0, 2]);
  });

  it('does not hold against a slow poll that its result has changed since the first report', () => {
    const run = createRun();
    const counts = Array.from({ length: 20 }, (_, index) =>
      run.call('run_shell_command', { command: 'status' }, { output: `${Math.floor(index / 5)} of 9 done` }),
    );
    expect(counts.filter((count) => count > 0)).toEqual([1, 1, 1, 1]);
    // And then it hangs.
    const after = Array.from({ length: 5 }, () =>
      run.call('run_shell_command', { command: 'status' }, { output: '3 of 9 done' }),
    );
    expect(after).toEqual([0, 0, 0, 0, 2]);
  });

  it('reports two calls in turn that change nothing by the eighth', () => {
    const run = createRun();
    const counts = Array.from({ length: 8 }, (_, index) =>
      run.call(index % 2 === 0 ? 'read_file' : 'glob', { path: 'a' }, { output: index % 2 }),
    );
    expect(counts).toEqual([0, 0, 0, 0, 0, 0, 0, 1]);
  });

  it('reports a shell command that fails the same way in a new process each time', () => {
    const run = createRun();
    const counts = Array.from({ length: 5 }, (_, index) =>
      run.call(
        'run_shell_command',
        { command: 'make' },
        { output: `Exit Code: 2\nProcess Group PGID: ${100 + index}` },
      ),
    );
    expect(counts.at(-1)).toBe(1);
  });

  it.each<[title: string, step: (index: number) => [string, Record<string, unknown>, Record<string, unknown>]]>([
    [
      'polling with changing output',
      (n) => ['run_shell_command', { command: 'kubectl get pods' }, { output: `ready ${n}/40` }],
    ],
    ['renaming 40 files', (n) => ['run_shell_command', { command: `git mv a${n}.ts b${n}.ts` }, { output: '' }]],
    [
      'reading 40 chunks of a file',
      (n) => ['read_file', { path: 'a', offset: n * 100, limit: 100 }, { output: 'text' }],
    ],
    ['editing similar blocks', (n) => ['replace', { path: 'a', old: `block ${n}`, new: 'x' }, { output: 'Edited.' }]],
    [
      'edit and test in turn',
      (n) =>
        n % 2 === 0
          ? ['replace', { old: `v${n}` }, { output: 'ok' }]
          : ['shell', { command: 'test' }, { output: '1 failed' }],
    ],
    [
      'the same edit and a test that makes progress',
      (n) =>
        n % 2 === 0
          ? ['replace', { old: 'v' }, { output: 'ok' }]
          : ['shell', { command: 'test' }, { output: `${40 - n} failed` }],
    ],
  ])('raises no alarm at %s', (_title, step) => {
    const run = createRun();
    const counts = Array.from({ length: 40 }, (_, index) => run.call(...step(index)));
    expect(counts).toEqual(Array.from({ length: 40 }, () => 0));
  });

  it('reports five identical calls of one turn, which have no results yet', () => {
    const { service } = createRun();
    const value = { name: 'glob', args: {}, isClientInitiated: false, prompt_id: 'p1' };
    const counts = Array.from({ length: 5 }, (_, index) => {
      const event = { type: GeminiEventType.ToolCallRequest, value: { ...value, callId: `c${index}` } } as const;
      return check(service, event)?.count ?? 0;
    });
    expect(counts).toEqual([0, 0, 0, 0, 1]);
  });

  it('pairs an answer without an id with the oldest open call of that name', () => {
    const service = new LoopDetectionService();
    const counts = Array.from({ length: 8 }, (_, index) => {
      const value = { callId: `c${index}`, name: 'poll', args: {}, isClientInitiated: false, prompt_id: 'p1' };
      const count = check(service, { type: GeminiEventType.ToolCallRequest, value })?.count ?? 0;
      service.noteResponses([{ text: 'x' }, { functionResponse: { name: 'poll', response: { output: index } } }]);
      return count;
    });
    expect(counts).toEqual([0, 0, 0, 0, 0, 0, 0, 0]);
  });

  it('says what was detected', () => {
    const { service } = createRun();
    const value = { callId: 'c', name: 'glob', args: {}, isClientInitiated: false, prompt_id: 'p1' };
    const results = Array.from({ length: 5 }, () => check(service, { type: GeminiEventType.ToolCallRequest, value }));
    expect(results.at(-1)).toEqual({
      count: 1,
      type: 'repeated_calls',
      detail: 'The call of glob was repeated 5 times with the same arguments and without a new result',
    });
  });
});

describe('LoopDetectionService, for text', () => {
  it('reports repeated text once, and again when it goes on', () => {
    const { service } = createRun();
    const results = Array.from({ length: 20 }, () => check(service, say(SENTENCE)));
    expect(results.map((loop) => loop?.count ?? 0)).toEqual([...Array(9).fill(0), 1, ...Array(9).fill(0), 2]);
    expect(results[9]).toEqual({
      count: 1,
      type: 'repeated_content',
      detail: `The text ${JSON.stringify(SENTENCE)} was repeated many times`,
    });
  });

  it.each<[string, (run: ReturnType<typeof createRun>) => void]>([
    ['a call', (run) => run.call('glob', {}, { output: '' })],
    ['a retry', (run) => run.service.addAndCheck({ type: GeminiEventType.Retry })],
    ['a new prompt', (run) => run.service.reset('p2', 'Next.')],
  ])('begins anew after %s', (_title, interrupt) => {
    const run = createRun();
    run.service.addAndCheck(say(SENTENCE.repeat(9)));
    interrupt(run);
    expect(run.service.addAndCheck(say(SENTENCE.repeat(9)))).toBe(false);
    expect(check(run.service, say(SENTENCE))?.count).toBe(1);
  });

  it('goes on counting after a turn without a call', () => {
    const { service } = createRun();
    service.addAndCheck(say(SENTENCE.repeat(5)));
    service.addAndCheck({ type: GeminiEventType.Finished, value: { reason: 'STOP', usageMetadata: undefined } });
    expect(check(service, say(SENTENCE.repeat(5)))?.count).toBe(1);
  });
});

describe('LoopDetectionService, for a prompt', () => {
  it('counts detections of all kinds together and begins at one again for the next prompt', () => {
    const run = createRun();
    expect(check(run.service, say(SENTENCE.repeat(10)))?.count).toBe(1);
    const fail = () => run.call('replace', {}, { error: 'no' });
    expect([fail(), fail(), fail()]).toEqual([0, 0, 2]);
    run.service.reset('p2');
    expect([fail(), fail(), fail()]).toEqual([0, 0, 1]);
  });

  it('is silent when disabled, from the start or later', async () => {
    const judge: LoopJudge = async () => ({ analysis: 'stuck', confidence: 1 });
    const never = createRun({ isEnabled: false, judge });
    const later = createRun({ judge });
    later.service.disable();
    for (const run of [never, later]) {
      const { service } = run;
      expect(service.addAndCheck(say(SENTENCE.repeat(20)))).toBe(false);
      expect(Array.from({ length: 10 }, () => run.call('glob', {}, { error: 'no' })).some((count) => count > 0)).toBe(
        false,
      );
      expect(await takeTurns(service, 60)).toEqual([]);
    }
  });

  it('ignores events that say nothing about a loop', () => {
    const { service } = createRun();
    const thought = { type: GeminiEventType.Thought, value: { subject: SENTENCE, description: SENTENCE } } as const;
    expect(Array.from({ length: 50 }, () => service.addAndCheck(thought)).some(Boolean)).toBe(false);
  });
});

describe('LoopDetectionService, asking a model', () => {
  const calm = { analysis: 'fine', confidence: 0 };
  const sure = { analysis: 'The same file is read again and again', confidence: 0.95 };

  it('asks first at turn 30 and then at a pace set by the answer', async () => {
    const asked: number[] = [];
    const confidences = [0.5, 0.89, 0.45, 0];
    const { service } = createSuspiciousRun({
      judge: async () => {
        asked.push(turn);
        return { analysis: '', confidence: confidences[asked.length - 1] ?? 0 };
      },
    });
    let turn = 0;
    while (turn < 150) {
      turn++;
      await service.turnStarted(signal);
    }
    // 30, then after 10, 6 and 11 turns; a calm answer is kept for 60.
    expect(asked).toEqual([30, 40, 46, 57, 117]);
  });

  it.each<[title: string, isAsked: boolean, turn: (run: ReturnType<typeof createRun>, n: number) => void]>([
    ['each call is new', false, (run, n) => run.call('read_file', { path: `${n}` }, { output: 'text' })],
    ['each call succeeds in the same words', false, (run, n) => run.call('move', { file: `${n}` }, { output: 'ok' })],
    ['a poll brings something new', false, (run, n) => run.call('shell', { command: 'ls' }, { output: `${n} files` })],
    [
      'a failure is followed by a success',
      false,
      (run, n) => run.call('edit', { n }, n % 2 ? { error: 'no' } : { output: '' }),
    ],
    ['the same few words are said', false, (run) => sayAndRead(run, 'Next file.')],
    [
      'a call comes back now and then',
      true,
      (run, n) => run.call('ls', { path: n % 7 ? `${n}` : '.' }, { output: 'a' }),
    ],
    ['everything fails', true, (run, n) => run.call('edit', { n }, { error: `${n} not found` })],
    [
      'the same sentence is said',
      true,
      (run) => sayAndRead(run, 'I will look at the next file to find the cause of it.'),
    ],
  ])('when %s, a model is asked: %s', async (_title, isAsked, takeTurn) => {
    let asked = 0;
    const run = createRun({
      judge: async () => {
        asked += 1;
        return calm;
      },
    });
    for (let turn = 0; turn < 50; turn++) {
      await run.service.turnStarted(signal);
      takeTurn(run, turn);
    }
    expect(asked).toBe(isAsked ? 1 : 0);
  });

  it('reports a loop when both models are sure', async () => {
    const inputs: LoopJudgeInput[] = [];
    const { service } = createSuspiciousRun({
      judge: async (input) => {
        inputs.push(input);
        return sure;
      },
    });
    expect(await takeTurns(service, 30)).toEqual([
      { turn: 30, count: 1, type: 'judged_by_model', detail: 'The same file is read again and again' },
    ]);
    expect(inputs).toEqual([
      { history: [], userRequest: 'Do it.', prompt_id: 'p1', model: 'flash' },
      { history: [], userRequest: 'Do it.', prompt_id: 'p1', model: 'pro' },
    ]);
  });

  it.each<[title: string, pro: () => Promise<LoopJudgement | undefined>, isLoop: boolean]>([
    ['is sure', async () => sure, true],
    ['is not sure', async () => calm, false],
    ['is not available', async () => undefined, true],
    ['fails', () => Promise.reject(new Error('503')), false],
  ])('when the second model %s', async (_title, pro, isLoop) => {
    const { service } = createSuspiciousRun({
      judge: ({ model }) => (model === 'pro' ? pro() : Promise.resolve(sure)),
    });
    expect((await takeTurns(service, 30)).length > 0).toBe(isLoop);
  });

  it.each<[title: string, judge: LoopJudge]>([
    ['rejects', () => Promise.reject(new Error('503'))],
    [
      'throws',
      () => {
        throw new Error('bug');
      },
    ],
    ['is aborted', () => Promise.reject(createAbortError())],
    ['is not available', async () => undefined],
    ['gives no number', async () => ({ analysis: '', confidence: Number.NaN })],
  ])('lets the turn go on when the judge %s', async (_title, judge) => {
    const { service } = createSuspiciousRun({ judge });
    expect(await takeTurns(service, 80)).toEqual([]);
  });

  it('does not wait for a judge that never answers', async () => {
    const slept: number[] = [];
    const clock = { now: () => 0, random: () => 0, sleep: async (ms) => void slept.push(ms) } satisfies Clock;
    let given: AbortSignal | undefined;
    const { service } = createSuspiciousRun({
      clock,
      judge: (_input, judgeSignal) => {
        given = judgeSignal;
        return new Promise(() => {});
      },
    });
    expect(await takeTurns(service, 30)).toEqual([]);
    expect([slept, given?.aborted]).toEqual([[10_000], true]);
  });

  it('does not act on an answer that comes too late', async () => {
    const asked: string[] = [];
    let answer: (judgement: LoopJudgement) => void = () => {};
    const clock = { now: () => 0, random: () => 0, sleep: async () => {} } satisfies Clock;
    const { service } = createSuspiciousRun({
      clock,
      judge: ({ model }) => {
        asked.push(model);
        return new Promise((resolve) => (answer = resolve));
      },
    });
    await takeTurns(service, 30);
    answer(sure);
    await Promise.resolve();
    await Promise.resolve();
    expect(asked).toEqual(['flash']);
  });

  it('ends at once when the person cancels', async () => {
    const controller = new AbortController();
    const { service } = createSuspiciousRun({
      judge: () => {
        controller.abort();
        return new Promise(() => {});
      },
    });
    await takeTurns(service, 29);
    expect(await service.turnStarted(controller.signal)).toBe(false);
  });

  it('shows the judge the end of the history, without an open call or a lost answer', async () => {
    const user: Content = { role: 'user', parts: [{ text: 'a' }] };
    const call: Content = { role: 'model', parts: [{ functionCall: { name: 'x' } }] };
    const response: Content = { role: 'user', parts: [{ functionResponse: { name: 'x' } }] };
    const text: Content = { role: 'model', parts: [{ text: 'b' }] };
    // The last 20 begin with a response and end with a call.
    const history = [user, call, response, ...Array.from({ length: 9 }, () => [user, text]).flat(), call];
    const seen: Content[][] = [];
    const { service } = createSuspiciousRun({
      getHistory: () => history,
      judge: async (input) => {
        seen.push(input.history);
        return calm;
      },
    });
    await takeTurns(service, 30);
    expect(seen).toEqual([history.slice(3, -1)]);
    expect(history).toHaveLength(22);
  });

  it('keeps a long analysis short', async () => {
    const { service } = createSuspiciousRun({ judge: async () => ({ analysis: 'x'.repeat(10_000), confidence: 1 }) });
    expect((await takeTurns(service, 30))[0]?.detail).toHaveLength(500);
  });
});

/** A turn that says this in two pieces and asks for something new. */
function sayAndRead({ service, call }: ReturnType<typeof createRun>, words: string): void {
  service.addAndCheck(say(words.slice(0, 5)));
  service.addAndCheck(say(words.slice(5)));
  call('read_file', { path: `${fresh++}` }, { output: 'text' });
  service.addAndCheck({ type: GeminiEventType.Finished, value: { reason: 'STOP', usageMetadata: undefined } });
}
let fresh = 0;

/** The detections of that many turns. */
async function takeTurns(service: LoopDetectionService, turns: number) {
  const detections = [];
  for (let turn = 1; turn <= turns; turn++) {
    if (await service.turnStarted(signal)) detections.push({ turn, ...service.lastLoop });
  }
  return detections;
}
