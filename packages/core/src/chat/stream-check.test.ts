import { describe, expect, it } from 'vitest';
import type { GenerateContentResponse, Part } from '../protocol/content.ts';
import { InvalidStreamError } from '../protocol/errors.ts';
import { StreamCollector, isValidResponse } from './stream-check.ts';

const frame = (parts: Part[], finishReason?: string): GenerateContentResponse => ({
  candidates: [{ content: { role: 'model', parts }, ...(finishReason && { finishReason }) }],
});

function accept(frames: GenerateContentResponse[], mayBeSilent = false) {
  const collector = new StreamCollector();
  for (const each of frames) collector.add(each);
  try {
    return collector.accept({ mayBeSilent }).parts;
  } catch (error) {
    return error instanceof InvalidStreamError ? [error.type, error.retryable] : error;
  }
}

const CALL: Part = { functionCall: { id: '1', name: 't', args: {} } };
const THOUGHT: Part = { text: '**S** d', thought: true };

describe('StreamCollector', () => {
  it('joins adjacent text and leaves out thoughts and empty parts', () => {
    const frames = [
      frame([THOUGHT, { text: 'a' }]),
      frame([{ text: 'b' }, {}, { text: '' }]),
      frame([CALL, { text: 'c' }], 'STOP'),
    ];
    expect(accept(frames)).toEqual([{ text: 'ab' }, CALL, { text: 'c' }]);
  });

  it('keeps a signature on the part it came with', () => {
    const signed = { text: '', thoughtSignature: 'sig' };
    expect(accept([frame([{ text: 'a' }]), frame([signed], 'STOP')])).toEqual([{ text: 'a' }, signed]);
  });

  it.each<[string, GenerateContentResponse[], unknown]>([
    ['no finish reason after text', [frame([{ text: 'a' }])], ['NO_FINISH_REASON', true]],
    ['no finish reason after a call', [frame([CALL])], ['NO_FINISH_REASON', true]],
    ['nothing at all', [], ['NO_FINISH_REASON', true]],
    ['an empty answer', [frame([], 'STOP')], ['NO_RESPONSE_TEXT', true]],
    [
      'only invisible text',
      [frame([{ text: ' \u200b<!-- <!-- --> x -->' }], 'STOP')],
      [{ text: ' \u200b<!-- <!-- --> x -->' }],
    ],
    ['only a comment', [frame([{ text: '<!-- hm -->\n\ufeff' }], 'STOP')], ['NO_RESPONSE_TEXT', true]],
    ['only thoughts', [frame([THOUGHT], 'STOP')], ['THINKING_ONLY_RESPONSE', true]],
    ['the output limit before any text', [frame([THOUGHT], 'MAX_TOKENS')], ['MAX_TOKENS_EXCEEDED', true]],
    ['a malformed call', [frame([{ text: 'a' }], 'MALFORMED_FUNCTION_CALL')], ['MALFORMED_FUNCTION_CALL', true]],
    ['an unexpected call', [frame([], 'UNEXPECTED_TOOL_CALL')], ['UNEXPECTED_TOOL_CALL', true]],
    ['a safety block', [frame([], 'SAFETY')], ['SAFETY_BLOCKED', false]],
    ['a recitation block', [frame([], 'RECITATION')], ['RECITATION_BLOCKED', false]],
    ['a policy block', [frame([], 'PROHIBITED_CONTENT')], ['OTHER_BLOCKED', false]],
    ['an unexplained end', [frame([], 'OTHER')], ['OTHER_BLOCKED', true]],
    ['a blocked prompt', [{ promptFeedback: { blockReason: 'SAFETY' } }], ['SAFETY_BLOCKED', false]],
    ['a prompt blocked by a list', [{ promptFeedback: { blockReason: 'BLOCKLIST' } }], ['OTHER_BLOCKED', false]],
    ['text cut by the output limit', [frame([{ text: 'a' }], 'MAX_TOKENS')], [{ text: 'a' }]],
    ['text cut by a safety block', [frame([{ text: 'a' }], 'SAFETY')], [{ text: 'a' }]],
  ])('decides on %s', (_what, frames, expected) => {
    expect(accept(frames)).toEqual(expected);
  });

  it('lets the model say nothing after a tool result, but not break off', () => {
    expect([accept([frame([], 'STOP')], true), accept([frame([])], true)]).toEqual([[], ['NO_FINISH_REASON', true]]);
  });
});

describe('isValidResponse', () => {
  it.each<[GenerateContentResponse, boolean]>([
    [{}, false],
    [{ candidates: [] }, false],
    [frame([{ text: 'a' }]), true],
    [frame([{ text: '' }]), false],
    [frame([{}]), false],
    [{ candidates: [{ finishReason: 'STOP' }] }, true],
  ])('%j → %s', (response, expected) => {
    expect(isValidResponse(response)).toBe(expected);
  });
});
