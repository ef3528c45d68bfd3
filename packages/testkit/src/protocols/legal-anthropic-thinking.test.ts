import { describe, expect, it } from 'vitest';
import { anthropic } from './anthropic.ts';
import { judge } from './legal.fixture.ts';
import type { Judged } from './legal.fixture.ts';
import { Memory } from './memory.ts';

const USER = { role: 'user', content: 'hello' };
const CALL = { type: 'tool_use', id: 'toolu_a', name: 'read_file', input: {} };
const RESULT = { type: 'tool_result', tool_use_id: 'toolu_a', content: 'text' };
const TEXT = { type: 'text', text: 'x' };
const MODEL = 'claude-opus-4-6';
const OLD: Judged = { path: '/v1/messages', headers: { 'anthropic-version': '2023-06-01' } };

const messages = (...list: object[]) => ({ model: MODEL, max_tokens: 4096, messages: list });
const says = (...content: object[]) => ({ role: 'assistant', content });
const asks = (...content: object[]) => ({ role: 'user', content });

describe('the rules of thinking', () => {
  const thinking = { type: 'thinking', thinking: 'hmm', signature: 'sig' };
  const redacted = { type: 'redacted_thinking', data: 'opaque' };
  const sent = [thinking, redacted, TEXT, CALL];
  const echo = (...content: object[]) => messages(USER, says(...content), asks(RESULT));
  const remembering = () => {
    const memory = new Memory();
    memory.remember(MODEL, sent);
    return memory;
  };
  const MODIFIED = 'blocks in the latest assistant message cannot be modified';

  it.each<[rule: string, body: object, words: string | undefined]>([
    ['comes back byte-equal and in place', echo(...sent), undefined],
    [
      'has its own signature',
      echo({ ...thinking, signature: 'other' }, redacted, TEXT, CALL),
      'messages.1.content.0: Invalid `signature` in `thinking` block',
    ],
    [
      'has its own text',
      echo({ ...thinking, thinking: 'hm' }, redacted, TEXT, CALL),
      'Invalid `signature` in `thinking` block',
    ],
    [
      'has its own data',
      echo(thinking, { ...redacted, data: 'x' }, TEXT, CALL),
      'Invalid `data` in `redacted_thinking` block',
    ],
    ['is whole', echo(thinking, TEXT, CALL), MODIFIED],
    ['keeps its order', echo(redacted, thinking, TEXT, CALL), MODIFIED],
    ['keeps its place between the texts', echo(thinking, TEXT, redacted, CALL), MODIFIED],
    ['keeps the text it stands before', echo(thinking, redacted, CALL), MODIFIED],
    ['is not left out', echo(TEXT, CALL), 'Expected `thinking` or `redacted_thinking`, but found `text`'],
    ['may be left out when thinking is off', { ...echo(TEXT, CALL), thinking: { type: 'disabled' } }, undefined],
    ['belongs to its model', { ...echo(...sent), model: 'claude-opus-4-5' }, 'Invalid `signature` in `thinking` block'],
    ['is left out for another model', { ...echo(TEXT, CALL), model: 'claude-opus-4-5' }, undefined],
    ['may be left out of older turns', messages(USER, says(TEXT, CALL), asks(RESULT), says(TEXT), USER), undefined],
    ['does not end a turn', messages(USER, says(TEXT, thinking), USER), 'cannot be `thinking`'],
    [
      'takes no breakpoint',
      echo({ ...thinking, cache_control: {} }, redacted, TEXT, CALL),
      'messages.1.content.0.thinking.cache_control: Extra inputs',
    ],
  ])('%s', (_rule, asked, words) => {
    const broken = judge(anthropic, asked, { ...OLD, memory: remembering() });
    if (words === undefined) expect(broken).toEqual([]);
    else expect(broken.join('\n')).toContain(words);
  });

  it('may be left out after the server has rejected it', () => {
    const memory = remembering();
    memory.forgive();
    expect(judge(anthropic, echo(TEXT, CALL), { ...OLD, memory })).toEqual([]);
  });
});
