import { describe, expect, it } from 'vitest';
import { GeminiEventType } from '@castor/core';
import type { AgentEvent, Outcome } from '@castor/core';
import type { Output } from '../output.ts';
import { RunSummary } from './run-summary.ts';
import { TextWriter } from './text-writer.ts';

/** Everything written, in order; stderr in brackets. */
async function write(events: AgentEvent[], { isLive = false } = {}) {
  let shown = '';
  const output: Output = {
    isLive,
    closed: new AbortController().signal,
    failure: undefined,
    answer: async (text) => {
      shown += text;
    },
    endAnswer: async () => {
      if (shown !== '' && !shown.endsWith('\n')) shown += '\n';
    },
    note: (message) => {
      shown += `[${message}]\n`;
    },
    drained: async () => {},
    abandon: () => undefined,
  };
  const writer = new TextWriter(output);
  const summary = new RunSummary();
  for (const event of events) {
    summary.add(event);
    await writer.write(event);
  }
  return { shown, outcome: summary.exitCode };
}

const content = (value: string): AgentEvent => ({ type: GeminiEventType.Content, value });
const finished = (reason = 'STOP'): AgentEvent => ({
  type: GeminiEventType.Finished,
  value: { reason, usageMetadata: undefined },
});
const ended = (outcome: Outcome): AgentEvent => ({ type: 'prompt_ended', prompt_id: 'p', outcome });
const retry = {
  type: GeminiEventType.Retry,
  value: { attempt: 1, maxAttempts: 4, delayMs: 1500, model: 'm', error: { message: 'reset' } },
} satisfies AgentEvent;

describe('TextWriter into a pipe', () => {
  it('holds text back until the turn is accepted', async () => {
    expect(await write([content('a')])).toEqual({ shown: '', outcome: 1 });
    expect(await write([content('a'), content('b'), finished(), ended('completed')])).toEqual({
      shown: 'ab\n',
      outcome: 0,
    });
  });

  it('names the status of a failed attempt where the message does not', async () => {
    const failed = (error: { message: string; status: number }) => ({ ...retry, value: { ...retry.value, error } });
    const { shown } = await write([
      failed({ message: 'oops', status: 503 }),
      failed({ message: 'status 503: oops', status: 503 }),
      ...[content('good'), finished(), ended('completed')],
    ]);
    expect(shown).toContain('failed (HTTP 503: oops);');
    expect(shown).toContain('failed (status 503: oops);');
  });

  it('never shows the text of a void attempt', async () => {
    expect(await write([content('void'), retry, content('good'), finished(), ended('completed')])).toEqual({
      shown: '[castor: attempt 1 of 4 failed (reset); trying again in 1.5 s.]\ngood\n',
      outcome: 0,
    });
  });

  it('says once that a server loads the model', async () => {
    const loading = (attempt: number): AgentEvent => ({
      ...retry,
      value: { ...retry.value, attempt, isLoading: true },
    });
    const { shown } = await write([
      loading(1),
      loading(2),
      loading(3),
      content('good'),
      finished(),
      ended('completed'),
    ]);
    expect(shown).toBe('[castor: loading the model…]\ngood\n');
  });

  it('announces another model after the last attempt', async () => {
    const last: AgentEvent = { ...retry, value: { ...retry.value, attempt: 4, delayMs: 0 } };
    const { shown } = await write([last, content('good'), finished(), ended('completed')]);
    expect(shown).toBe('[castor: attempt 4 of 4 failed (reset); trying another model.]\ngood\n');
  });

  it('shows nothing of an attempt that failed for good', async () => {
    const error: AgentEvent = { type: GeminiEventType.Error, value: { error: { message: 'down' } } };
    expect(await write([content('void'), error, ended('failed')])).toEqual({ shown: '[castor: down]\n', outcome: 1 });
  });

  it('keeps an answer that was cut and names the reason', async () => {
    expect(await write([content('half'), finished('MAX_TOKENS'), ended('completed')])).toEqual({
      shown: 'half\n[castor: warning: the answer is incomplete; the model stopped with MAX_TOKENS.]\n',
      outcome: 0,
    });
  });

  it('names what made an answer unusable', async () => {
    const value = { type: 'SAFETY_BLOCKED', message: 'Blocked.' } as const;
    expect(await write([{ type: GeminiEventType.InvalidStream, value }, ended('invalid_stream')])).toEqual({
      shown: '[castor: the model returned an invalid answer (SAFETY_BLOCKED): Blocked.]\n',
      outcome: 1,
    });
  });

  it('says which tool failed, and ends with its own code when the disk is full', async () => {
    const request = { callId: 'c', name: 'write_file', args: {}, isClientInitiated: false, prompt_id: 'p' };
    const value = {
      callId: 'c',
      responseParts: [],
      resultDisplay: undefined,
      error: new Error('the disk is full'),
      errorType: 'no_space_left' as const,
    };
    const events: AgentEvent[] = [
      { type: GeminiEventType.ToolCallRequest, value: request },
      finished(),
      { type: GeminiEventType.ToolCallResponse, value },
      ended('failed'),
    ];
    expect(await write(events)).toEqual({
      shown: '[Error executing tool write_file: the disk is full]\n',
      outcome: 54,
    });
  });

  it.each<[Outcome, number]>([
    ['completed', 0],
    ['stopped', 0],
    ['max_turns', 53],
    ['loop_detected', 57],
    ['overflow', 58],
    ['budget_exceeded', 56],
    ['blocked', 1],
    ['cancelled', 130],
  ])('ends a prompt that %s with %i', async (outcome, code) => {
    expect((await write([ended(outcome)])).outcome).toBe(code);
  });
});

describe('TextWriter on a terminal', () => {
  it('shows text as it arrives and marks what a retry made void', async () => {
    const events = [content('void'), retry, content('good'), finished(), ended('completed')];
    expect(await write(events, { isLive: true })).toEqual({
      shown: 'void\n[The text above is void: attempt 1 of 4 failed (reset); trying again in 1.5 s.]\ngood\n',
      outcome: 0,
    });
  });
});
