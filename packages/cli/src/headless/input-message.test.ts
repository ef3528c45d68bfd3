import { describe, expect, it } from 'vitest';
import { InputMessageError, readMessage } from './input-message.ts';

const read = (text: string | undefined) => readMessage({ number: 7, text });

describe('readMessage', () => {
  it.each<[string, object | undefined]>([
    ['', undefined],
    ['  ', undefined],
    ['{"type":"prompt","content":"hi"}', { type: 'prompt', content: 'hi' }],
    ['{"type":"message","role":"user","content":"hi"}', { type: 'prompt', content: 'hi' }],
    ['{"type":"steer","content":"faster"}', { type: 'steer', content: 'faster' }],
    [
      '{"type":"approval","tool_id":"1","outcome":"cancel","feedback":"no"}',
      { type: 'approval', callId: '1', outcome: 'cancel', payload: { feedback: 'no' } },
    ],
    [
      '{"type":"approval","tool_id":"1","outcome":"proceed_once","new_content":"x","answers":{"0":"a"},"approved":true}',
      {
        type: 'approval',
        callId: '1',
        outcome: 'proceed_once',
        payload: { newContent: 'x', answers: { 0: 'a' }, approved: true },
      },
    ],
    [
      '{"type":"fallback","request_id":"q","intent":"retry_once"}',
      { type: 'fallback', requestId: 'q', intent: 'retry_once' },
    ],
    ['{"type":"set_approval_mode","mode":"auto_edit"}', { type: 'set_approval_mode', mode: 'autoEdit' }],
    ['{"type":"interrupt"}', { type: 'interrupt' }],
    ['{"type":"end"}', { type: 'end' }],
  ])('reads %s', (line, expected) => {
    expect(read(line)).toEqual(expected);
  });

  it.each<[string | undefined, string]>([
    [undefined, 'it is longer than 8 MiB.'],
    ['hello', 'it is not JSON; expected one object per line.'],
    ['[1]', 'expected a JSON object.'],
    ['null', 'expected a JSON object.'],
    [
      '{"type":"toString"}',
      '"type" must be one of prompt, message, steer, approval, fallback, set_approval_mode, interrupt, end.',
    ],
    ['{"type":"prompt"}', '"content" must be a string.'],
    ['{"type":"prompt","content":7}', '"content" must be a string.'],
    ['{"type":"message","role":"assistant","content":"x"}', '"role" must be "user".'],
    ['{"type":"approval","outcome":"cancel"}', '"tool_id" must be a string.'],
    [
      '{"type":"approval","tool_id":"1","outcome":"yes"}',
      '"outcome" must be one of proceed_once, proceed_always, proceed_always_and_save, proceed_always_server, proceed_always_tool, modify_with_editor, cancel.',
    ],
    ['{"type":"approval","tool_id":"1","outcome":"cancel","answers":[]}', '"answers" must be an object of strings.'],
    ['{"type":"set_approval_mode","mode":"wild"}', '"mode" must be one of default, auto_edit, yolo or plan.'],
  ])('refuses %s, naming the line', (line, problem) => {
    expect(() => read(line)).toThrow(new InputMessageError(`Line 7 of the input is invalid: ${problem}`));
  });
});
