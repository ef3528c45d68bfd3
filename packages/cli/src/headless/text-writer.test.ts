import { describe, expect, it } from 'vitest';
import { GeminiEventType } from '@castor/core';
import type { ServerGeminiStreamEvent } from '@castor/core';
import type { Output } from '../output.ts';
import { TextWriter } from './text-writer.ts';

/** Everything written, in order; stderr in brackets. */
async function write(events: ServerGeminiStreamEvent[], { isLive = false } = {}) {
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
  };
  const writer = new TextWriter(output);
  for (const event of events) await writer.write(event);
  return { shown, outcome: writer.outcome };
}

const content = (value: string): ServerGeminiStreamEvent => ({ type: GeminiEventType.Content, value });
const finished = (reason = 'STOP'): ServerGeminiStreamEvent => ({
  type: GeminiEventType.Finished,
  value: { reason, usageMetadata: undefined },
});
const retry: ServerGeminiStreamEvent = {
  type: GeminiEventType.Retry,
  value: { attempt: 1, maxAttempts: 4, delayMs: 1500, model: 'm', error: { message: 'reset' } },
};

describe('TextWriter into a pipe', () => {
  it('holds text back until the turn is accepted', async () => {
    expect(await write([content('a')])).toEqual({ shown: '', outcome: undefined });
    expect(await write([content('a'), content('b'), finished()])).toEqual({ shown: 'ab\n', outcome: 0 });
  });

  it('never shows the text of a void attempt', async () => {
    expect(await write([content('void'), retry, content('good'), finished()])).toEqual({
      shown: '[castor: the attempt failed (reset); trying again in 1.5 s.]\ngood\n',
      outcome: 0,
    });
  });

  it('shows nothing of an attempt that failed for good', async () => {
    const error: ServerGeminiStreamEvent = { type: GeminiEventType.Error, value: { error: { message: 'down' } } };
    expect(await write([content('void'), error])).toEqual({ shown: '[castor: down]\n', outcome: 1 });
  });

  it('keeps an answer that was cut and names the reason', async () => {
    expect(await write([content('half'), finished('MAX_TOKENS')])).toEqual({
      shown: 'half\n[castor: warning: the answer is not whole; the model stopped with MAX_TOKENS.]\n',
      outcome: 0,
    });
  });

  it('names what made an answer unusable', async () => {
    const value = { type: 'SAFETY_BLOCKED', message: 'Blocked.' } as const;
    expect(await write([{ type: GeminiEventType.InvalidStream, value }])).toEqual({
      shown: '[castor: the model gave no usable answer (SAFETY_BLOCKED): Blocked.]\n',
      outcome: 1,
    });
  });

  it('fails when the model asks for a tool, since nobody runs it', async () => {
    const value = { callId: 'c', name: 'ls', args: {}, isClientInitiated: false, prompt_id: 'p' };
    const { outcome } = await write([{ type: GeminiEventType.ToolCallRequest, value }, finished()]);
    expect(outcome).toBe(1);
  });
});

describe('TextWriter on a terminal', () => {
  it('shows text as it arrives and marks what a retry made void', async () => {
    const events = [content('void'), retry, content('good'), finished()];
    expect(await write(events, { isLive: true })).toEqual({
      shown: 'void\n[The text above is void: the attempt failed (reset); trying again in 1.5 s.]\ngood\n',
      outcome: 0,
    });
  });
});
