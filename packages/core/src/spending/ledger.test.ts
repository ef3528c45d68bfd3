import { createFakeClock } from '@castor/testkit';
import { describe, expect, it } from 'vitest';
import { ApiError, ToolError } from '../protocol/errors.ts';
import { GeminiEventType } from '../protocol/events.ts';
import { SAMPLE_EVENTS } from '../protocol/sample-events.fixture.ts';
import type { ToolCallRequestInfo, ToolCallResponseInfo, ToolCallStatus } from '../protocol/tool-calls.ts';
import type { FileDiff } from '../protocol/tools.ts';
import { Ledger } from './ledger.ts';
import { NO_TOKENS, toStreamStats } from './session-metrics.ts';

const NO_DECISIONS = { accept: 0, reject: 0, modify: 0, auto_accept: 0 };
const USAGE = {
  promptTokenCount: 1_000,
  cachedContentTokenCount: 400,
  candidatesTokenCount: 100,
  thoughtsTokenCount: 50,
  toolUsePromptTokenCount: 10,
  totalTokenCount: 1_160,
};
const TOKENS = { input: 600, prompt: 1_000, candidates: 100, total: 1_160, cached: 400, thoughts: 50, tool: 10 };
const PRICES = { pro: { input: 1, output: 10, cached: 0.1 } };

const main = (model: string, latencyMs = 0) => ({ model, role: 'main', latencyMs }) as const;
const failedWith = (error: unknown) => ({ kind: 'error', error }) as const;

describe('Ledger', () => {
  it('is empty in the documented shape', () => {
    expect(new Ledger().metrics()).toEqual({
      models: {},
      tools: {
        totalCalls: 0,
        totalSuccess: 0,
        totalFail: 0,
        totalDurationMs: 0,
        totalDecisions: NO_DECISIONS,
        byName: {},
      },
      files: { totalLinesAdded: 0, totalLinesRemoved: 0 },
      cost_usd: 0,
    });
    expect(new Ledger().cost()).toEqual({ usd: 0, byModel: {} });
  });

  it('counts what is written to a cache, at its own rate, and names it only where there is any', () => {
    const ledger = new Ledger({ prices: { pro: { ...PRICES.pro, cacheWrite: 1.25 } } });
    const usage = { ...USAGE, cacheWriteTokenCount: 500 };
    ledger.record({ ...main('pro'), usage });
    ledger.record({ ...main('pro'), usage });
    const once = { model: 'pro', role: 'main', usage } as const;
    expect(ledger.metrics().models['pro']?.tokens).toMatchObject({ input: 1_200, cached: 800, cacheWrite: 1_000 });
    // 110 fresh, 500 written, 400 read, 150 of output.
    expect(ledger.cost().usd).toBeCloseTo((2 * (110 + 500 * 1.25 + 40 + 1_500)) / 1_000_000, 12);
    ledger.withdraw(once);
    expect(ledger.metrics().models['pro']?.tokens).toEqual({ ...TOKENS, cacheWrite: 500 });
    ledger.withdraw(once);
    expect(ledger.metrics().models['pro']?.tokens).toEqual(NO_TOKENS);
  });

  it('takes a cache write that no prompt can hold for the whole fresh prompt', () => {
    const ledger = new Ledger({ prices: PRICES });
    ledger.record({ ...main('pro'), usage: { promptTokenCount: 10, cacheWriteTokenCount: 1_000 } });
    expect(ledger.metrics().models['pro']?.tokens).toMatchObject({ input: 10, cacheWrite: 10 });
    expect(ledger.cost().usd).toBeCloseTo(10 / 1_000_000, 12);
  });

  it('counts requests, errors, latency and tokens by model and by role', () => {
    const ledger = new Ledger();
    ledger.record({ ...main('pro', 100), usage: USAGE });
    ledger.record({ ...main('pro', 20), failure: failedWith(new ApiError('busy', { reason: 'rate_limited' })) });
    ledger.record({ model: 'pro', role: 'utility_router', latencyMs: 5, usage: USAGE });
    ledger.record({ ...main('lite', 7), failure: { kind: 'abandoned' } });
    expect(ledger.metrics().models).toEqual({
      pro: {
        api: { totalRequests: 3, totalErrors: 1, totalLatencyMs: 125, errorsByType: { rate_limited: 1 } },
        tokens: { input: 1_200, prompt: 2_000, candidates: 200, total: 2_320, cached: 800, thoughts: 100, tool: 20 },
        roles: {
          main: { totalRequests: 2, totalErrors: 1, totalLatencyMs: 120, tokens: TOKENS },
          utility_router: { totalRequests: 1, totalErrors: 0, totalLatencyMs: 5, tokens: TOKENS },
        },
        cost_usd: null,
      },
      lite: {
        api: { totalRequests: 1, totalErrors: 1, totalLatencyMs: 7, errorsByType: { abandoned: 1 } },
        tokens: NO_TOKENS,
        roles: { main: { totalRequests: 1, totalErrors: 1, totalLatencyMs: 7, tokens: NO_TOKENS } },
        cost_usd: 0,
      },
    });
  });

  it('keeps the tokens of a broken answer out of the tokens and in the cost', () => {
    const ledger = new Ledger({ prices: PRICES });
    const failure = failedWith(new ApiError('reset', { reason: 'network' }));
    ledger.record({ ...main('pro'), usage: { promptTokenCount: 1_000_000, totalTokenCount: 1_000_000 }, failure });
    expect(ledger.metrics().models['pro']?.tokens).toEqual(NO_TOKENS);
    expect(ledger.cost()).toEqual({ usd: 1, byModel: { pro: 1 } });
    expect(ledger.spentTokens).toBe(1_000_000);
  });

  it('knows no total as soon as a model without a price reported tokens', () => {
    const ledger = new Ledger({ prices: PRICES });
    ledger.record({ ...main('pro'), usage: { promptTokenCount: 500_000 } });
    ledger.record({ ...main('unpriced'), failure: failedWith(new Error('x')) });
    expect(ledger.cost()).toEqual({ usd: 0.5, byModel: { pro: 0.5 } });
    ledger.record({ ...main('unpriced'), usage: { promptTokenCount: 1 } });
    expect(ledger.cost()).toEqual({ usd: undefined, byModel: { pro: 0.5, unpriced: undefined } });
  });

  it('takes a count that is none for nothing', () => {
    const ledger = new Ledger({ prices: PRICES });
    const usage = {
      promptTokenCount: '7',
      candidatesTokenCount: -3,
      totalTokenCount: Number.NaN,
      thoughtsTokenCount: 2,
    };
    ledger.record({ ...main('pro'), usage: usage as object });
    expect(ledger.metrics().models['pro']?.tokens).toEqual({ ...NO_TOKENS, thoughts: 2, total: 2 });
  });

  it('names kinds of failure by our taxonomy, and strangers by their class', () => {
    const ledger = new Ledger();
    for (const error of [new DOMException('', 'AbortError'), new TypeError('bug'), { status: 503 }, 'text']) {
      ledger.record({ ...main('pro'), failure: failedWith(error) });
    }
    expect(ledger.metrics().models['pro']?.api.errorsByType).toEqual({
      aborted: 1,
      TypeError: 1,
      server: 1,
      unknown: 1,
    });
  });

  it('hands out numbers that do not change afterwards', () => {
    const ledger = new Ledger();
    ledger.record({ ...main('pro'), usage: USAGE });
    const before = ledger.metrics();
    const copy = structuredClone(before);
    ledger.record({ ...main('pro'), usage: USAGE });
    ledger.add(respond('a'));
    expect(before).toEqual(copy);
  });

  it('takes every event of the union', () => {
    const ledger = new Ledger({ clock: createFakeClock() });
    for (const event of Object.values(SAMPLE_EVENTS)) ledger.add(event);
    expect(ledger.metrics().tools.totalCalls).toBe(1);
  });
});

describe('the calls in a ledger', () => {
  function setUp() {
    const clock = createFakeClock();
    return { clock, ledger: new Ledger({ clock }) };
  }

  it('count once, with the time they ran and not the time they waited', () => {
    const { clock, ledger } = setUp();
    ledger.add(request('a', 'glob'));
    ledger.add(update('a', 'validating'));
    clock.advance(1_000);
    ledger.add(update('a', 'executing'));
    clock.advance(30);
    ledger.add(update('a', 'executing'));
    clock.advance(40);
    ledger.add(update('a', 'success'));
    ledger.add(respond('a'));
    const decisions = { ...NO_DECISIONS, auto_accept: 1 };
    expect(ledger.metrics().tools).toEqual({
      totalCalls: 1,
      totalSuccess: 1,
      totalFail: 0,
      totalDurationMs: 70,
      totalDecisions: decisions,
      byName: { glob: { count: 1, success: 1, fail: 0, durationMs: 70, decisions } },
    });
  });

  it('that ran a command which failed are successes for scripts, and counted as failed for users', () => {
    const { ledger } = setUp();
    for (const [callId, data] of [
      ['a', { isError: true, exitCode: 1 }],
      ['b', { isError: false, exitCode: 0 }],
    ] as const) {
      ledger.add(request(callId, 'run_shell_command'));
      ledger.add(update(callId, 'executing'));
      ledger.add(respond(callId, { data }));
    }
    const { tools } = ledger.metrics();
    expect([tools.totalSuccess, tools.totalFail]).toEqual([2, 0]);
    const parent = new Ledger();
    parent.absorb(ledger.metrics(), ledger.failedCommands);
    expect([[...ledger.failedCommands], [...parent.failedCommands]]).toEqual([
      [['run_shell_command', 1]],
      [['run_shell_command', 1]],
    ]);
  });

  it('are summed by name and over all', () => {
    const { ledger } = setUp();
    for (const [callId, name, error] of [
      ['a', 'glob', undefined],
      ['b', 'glob', new ToolError('no', 'file_not_found')],
      ['c', '__proto__', undefined],
    ] as const) {
      ledger.add(request(callId, name));
      ledger.add(update(callId, 'executing'));
      ledger.add(respond(callId, { error }));
    }
    const { tools } = ledger.metrics();
    expect([tools.totalCalls, tools.totalSuccess, tools.totalFail]).toEqual([3, 2, 1]);
    expect(Object.entries(tools.byName).map(([name, { count, fail }]) => [name, count, fail])).toEqual([
      ['glob', 2, 1],
      ['__proto__', 1, 0],
    ]);
  });

  it.each([
    ['ran unasked', ['executing', 'success'], 0, { auto_accept: 1 }],
    ['ran after a question', ['awaiting_approval', 'executing', 'success'], 1, { accept: 1 }],
    ['ran after the proposal was edited', ['awaiting_approval', 'executing', 'success'], 2, { modify: 1 }],
    ['was refused', ['awaiting_approval', 'cancelled'], 1, { reject: 1 }],
    ['never got so far', ['validating', 'error'], 0, {}],
  ] as const)('tell who allowed a call that %s', (_title, statuses, questions, decisions) => {
    const { ledger } = setUp();
    ledger.add(request('a', 'write_file'));
    for (let count = 0; count < questions; count++) ledger.add(confirm('a', 'write_file'));
    for (const status of statuses) ledger.add(update('a', status));
    ledger.add(respond('a'));
    expect(ledger.metrics().tools.totalDecisions).toEqual({ ...NO_DECISIONS, ...decisions });
  });

  it.each([
    [['proceed_once'], { accept: 1 }],
    [['proceed_always_tool'], { auto_accept: 1 }],
    [['cancel'], { reject: 1 }],
    [['modify_with_editor', 'proceed_once'], { modify: 1 }],
  ] as const)('take the answers of the user from events: %j', (outcomes, decisions) => {
    const { ledger } = setUp();
    ledger.add(request('a', 'write_file'));
    for (const outcome of outcomes) {
      ledger.add(confirm('a', 'write_file'));
      ledger.add({ type: 'tool_call_updated', callId: 'a', status: 'awaiting_approval', outcome });
    }
    ledger.add(update('a', 'executing'));
    ledger.add(respond('a'));
    expect(ledger.metrics().tools.totalDecisions).toEqual({ ...NO_DECISIONS, ...decisions });
  });

  it('count the lines of successful changes only', () => {
    const { ledger } = setUp();
    ledger.add(request('a', 'write_file'));
    ledger.add(respond('a', { resultDisplay: changed(5, 2) }));
    ledger.add(request('b', 'write_file'));
    ledger.add(respond('b', { resultDisplay: changed(7, 7), error: new Error('disk full') }));
    expect(ledger.metrics().files).toEqual({ totalLinesAdded: 5, totalLinesRemoved: 2 });
  });

  it('are known by the name in their response when they were not announced', () => {
    const { ledger } = setUp();
    ledger.add(respond('a'));
    expect(Object.keys(ledger.metrics().tools.byName)).toEqual(['from-response']);
  });

  it('are forgotten at the end of a prompt that left them unanswered', () => {
    const { ledger } = setUp();
    ledger.add(request('a', 'glob'));
    ledger.add({ type: 'prompt_ended', prompt_id: 'p', outcome: 'failed' });
    ledger.add(respond('a'));
    expect(Object.keys(ledger.metrics().tools.byName)).toEqual(['from-response']);
  });
});

describe('toStreamStats', () => {
  it('sums the models in the names of stream-json', () => {
    const ledger = new Ledger();
    ledger.record({ ...main('pro'), usage: USAGE });
    ledger.record({ ...main('lite'), usage: { promptTokenCount: 10, candidatesTokenCount: 5, totalTokenCount: 15 } });
    ledger.add(respond('a'));
    expect(toStreamStats(ledger.metrics(), 1_234)).toEqual({
      total_tokens: 1_175,
      input_tokens: 1_010,
      output_tokens: 105,
      cached: 400,
      input: 610,
      duration_ms: 1_234,
      tool_calls: 1,
      cost_usd: null,
      models: {
        pro: {
          ...{ total_tokens: 1_160, input_tokens: 1_000, output_tokens: 100, cached: 400, input: 600 },
          ...{ requests: 1, cost_usd: null },
        },
        lite: {
          ...{ total_tokens: 15, input_tokens: 10, output_tokens: 5, cached: 0, input: 10 },
          ...{ requests: 1, cost_usd: null },
        },
      },
    });
  });
});

function requestInfo(callId: string, name: string): ToolCallRequestInfo {
  return { callId, name, args: {}, isClientInitiated: false, prompt_id: 'p' };
}

function request(callId: string, name: string) {
  return { type: GeminiEventType.ToolCallRequest, value: requestInfo(callId, name) } as const;
}

function confirm(callId: string, name: string) {
  const details = { type: 'info', title: 'Sure?', prompt: '' } as const;
  return {
    type: GeminiEventType.ToolCallConfirmation,
    value: { request: requestInfo(callId, name), details },
  } as const;
}

function update(callId: string, status: ToolCallStatus) {
  return { type: 'tool_call_updated', callId, status } as const;
}

function respond(callId: string, differences: Partial<ToolCallResponseInfo> = {}) {
  const value: ToolCallResponseInfo = {
    callId,
    responseParts: [{ functionResponse: { name: 'from-response', response: { output: '' } } }],
    resultDisplay: 'done',
    error: undefined,
    errorType: undefined,
    ...differences,
  };
  return { type: GeminiEventType.ToolCallResponse, value } as const;
}

function changed(added: number, removed: number): FileDiff {
  return {
    fileDiff: '',
    fileName: 'a',
    filePath: '/a',
    originalContent: '',
    newContent: '',
    diffStat: {
      model_added_lines: added,
      model_removed_lines: removed,
      model_added_chars: 0,
      model_removed_chars: 0,
      user_added_lines: 0,
      user_removed_lines: 0,
      user_added_chars: 0,
      user_removed_chars: 0,
    },
  };
}
