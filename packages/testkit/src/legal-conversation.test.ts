import { describe, expect, it } from 'vitest';
import { findConversationViolations } from './legal-conversation.ts';
import type { ConversationRule } from './legal-conversation.ts';

const user = (...parts: object[]) => ({ role: 'user', parts });
const model = (...parts: object[]) => ({ role: 'model', parts });
const text = (value: string) => ({ text: value });
const call = (name: string, more: object = {}) => ({ functionCall: { name, args: {}, ...more } });
const response = (name: string, more: object = {}) => ({
  functionResponse: { name, response: { output: '' }, ...more },
});
const signed = (part: object) => ({ ...part, thoughtSignature: 'proof' });

const ask = user(text('hello'));

describe('a legal conversation', () => {
  it.each<[title: string, contents: unknown, model?: string]>([
    ['is one question', [ask]],
    ['alternates', [ask, model(text('hi')), user(text('and?'))]],
    ['may have two user turns in a row', [ask, user(text('and also'))]],
    ['may have two model turns in a row without calls', [ask, model(text('a')), model(text('b')), ask]],
    ['answers a call', [ask, model(call('read')), user(response('read'))]],
    ['answers calls in any order', [ask, model(call('a'), call('b')), user(response('b'), response('a'))]],
    [
      'answers equal names by id',
      [
        ask,
        model(call('a', { id: '1' }), call('a', { id: '2' })),
        user(response('a', { id: '2' }), response('a', { id: '1' })),
      ],
    ],
    [
      'carries text beside calls and beside responses',
      [ask, model(text('so'), call('a')), user(response('a'), text('hurry'))],
    ],
    [
      'carries thoughts, media and signed empty text',
      [
        user({ inlineData: { mimeType: 'image/png', data: 'AA==' } }),
        model({ text: 'hm', thought: true }, { text: '', thoughtSignature: 'proof' }),
        user({ fileData: { fileUri: 'gs://a' } }),
      ],
    ],
    ['takes every letter a name may have', [ask, model(call('_a.B:c-9')), user(response('_a.B:c-9'))]],
    ['needs no signature on older models', [ask, model(call('a')), user(response('a'))], 'gemini-2.5-pro'],
    [
      'is signed on the first call of each step',
      [
        ask,
        model(signed(call('a')), call('b')),
        user(response('a'), response('b')),
        model(signed(call('c'))),
        user(response('c')),
      ],
      'gemini-3-pro-preview',
    ],
    [
      'needs no signature before the current turn',
      [ask, model(call('a')), user(response('a')), model(text('ok')), ask],
      'gemini-3-pro-preview',
    ],
    [
      'needs no signature where no turn of text begins',
      [user({ inlineData: { data: 'AA==', mimeType: 'image/png' } }), model(call('a')), user(response('a'))],
      'gemini-3-pro-preview',
    ],
  ])('%s', (_title, contents, modelName) => {
    expect(findConversationViolations(contents, modelName)).toEqual([]);
  });
});

describe('an illegal conversation is named with its turn', () => {
  it.each<[title: string, contents: unknown, expected: [turn: number, rule: ConversationRule][], model?: string]>([
    ['no list', undefined, [[1, 'shape']]],
    ['an empty list', [], [[1, 'shape']]],
    [
      'a turn that is no object',
      ['hello'],
      [
        [1, 'shape'],
        [1, 'first_turn'],
        [1, 'last_turn'],
      ],
    ],
    ['an unknown role', [ask, { role: 'system', parts: [text('x')] }, ask], [[2, 'role']]],
    [
      'a function role',
      [ask, model(call('a')), { role: 'function', parts: [response('a')] }, ask],
      [
        [3, 'role'],
        [3, 'response_place'],
      ],
    ],
    [
      'no role',
      [{ parts: [text('x')] }],
      [
        [1, 'role'],
        [1, 'first_turn'],
        [1, 'last_turn'],
      ],
    ],
    ['a turn without parts', [ask, { role: 'model' }, ask], [[2, 'empty_turn']]],
    ['a turn with an empty list of parts', [ask, model(), ask], [[2, 'empty_turn']]],
    ['an empty part', [user(text('a'), {})], [[1, 'empty_part']]],
    ['a part with flags only', [ask, model({ thought: true }), ask], [[2, 'empty_part']]],
    ['an empty text', [user(text(''))], [[1, 'empty_part']]],
    ['a part that is a string', [{ role: 'user', parts: ['hello'] }], [[1, 'shape']]],
    ['a part with two payloads', [user({ text: 'a', inlineData: {} })], [[1, 'shape']]],
    ['text that is no text', [user({ text: 5 })], [[1, 'shape']]],
    ['a call that is no object', [ask, model({ functionCall: 'read' }), ask], [[2, 'shape']]],
    ['a field of our own in a turn', [{ ...ask, id: 7 }], [[1, 'shape']]],
    ['a field of our own in a part', [user({ text: 'a', callId: '1' })], [[1, 'shape']]],
    ['a field of our own in a call', [ask, model(call('a', { status: 'done' })), user(response('a'))], [[2, 'shape']]],
    ['a field of our own in a response', [ask, model(call('a')), user(response('a', { error: 'x' }))], [[3, 'shape']]],
    ['a model turn first', [model(text('hi')), ask], [[1, 'first_turn']]],
    ['a model turn last', [ask, model(text('hi'))], [[2, 'last_turn']]],
    [
      'calls nobody answers',
      [ask, model(call('a'))],
      [
        [2, 'last_turn'],
        [2, 'call_answers'],
      ],
    ],
    ['calls followed by text', [ask, model(call('a')), ask], [[2, 'call_answers']]],
    ['one response short', [ask, model(call('a'), call('b')), user(response('a'))], [[2, 'call_answers']]],
    ['one response too many', [ask, model(call('a')), user(response('a'), response('a'))], [[2, 'call_answers']]],
    [
      'responses over two turns',
      [ask, model(call('a'), call('b')), user(response('a')), user(response('b'))],
      [
        [2, 'call_answers'],
        [4, 'response_place'],
      ],
    ],
    ['another name', [ask, model(call('a')), user(response('b'))], [[2, 'call_answers']]],
    ['another id', [ask, model(call('a', { id: '1' })), user(response('a', { id: '2' }))], [[2, 'call_answers']]],
    ['an id only in the response', [ask, model(call('a')), user(response('a', { id: '1' }))], [[2, 'call_answers']]],
    ['an id only in the call', [ask, model(call('a', { id: '1' })), user(response('a'))], [[2, 'call_answers']]],
    [
      'one id answered twice',
      [
        ask,
        model(call('a', { id: '1' }), call('a', { id: '2' })),
        user(response('a', { id: '1' }), response('a', { id: '1' })),
      ],
      [[2, 'call_answers']],
    ],
    ['a call after a model turn', [ask, model(text('so')), model(call('a')), user(response('a'))], [[3, 'call_place']]],
    [
      'a call of the user',
      [user(call('a')), user(response('a'))],
      [
        [1, 'call_place'],
        [1, 'call_place'],
      ],
    ],
    [
      'a response of the model',
      [ask, model(response('a')), ask],
      [
        [2, 'response_place'],
        [2, 'response_place'],
      ],
    ],
    ['a response without a call', [user(response('a'))], [[1, 'response_place']]],
    [
      'a response sent twice',
      [ask, model(call('a')), user(response('a')), user(response('a'))],
      [[4, 'response_place']],
    ],
    ['arguments as a string', [ask, model(call('a', { args: '{}' })), user(response('a'))], [[2, 'arguments']]],
    ['arguments as a list', [ask, model(call('a', { args: [] })), user(response('a'))], [[2, 'arguments']]],
    ['no arguments', [ask, model({ functionCall: { name: 'a' } }), user(response('a'))], [[2, 'arguments']]],
    ['a response as a string', [ask, model(call('a')), user(response('a', { response: 'done' }))], [[3, 'response']]],
    ['a response that is null', [ask, model(call('a')), user(response('a', { response: null }))], [[3, 'response']]],
    [
      'a name with a space',
      [ask, model(call('a b')), user(response('a b'))],
      [
        [2, 'name'],
        [3, 'name'],
      ],
    ],
    [
      'a name that begins with a digit',
      [ask, model(call('1a')), user(response('1a'))],
      [
        [2, 'name'],
        [3, 'name'],
      ],
    ],
    [
      'a name with a line end',
      [ask, model(call('a\n')), user(response('a\n'))],
      [
        [2, 'name'],
        [3, 'name'],
      ],
    ],
    [
      'no name',
      [ask, model({ functionCall: { args: {} } }), user({ functionResponse: { response: {} } })],
      [
        [2, 'name'],
        [3, 'name'],
      ],
    ],
    [
      'an unsigned first call',
      [ask, model(call('a')), user(response('a'))],
      [[2, 'signature']],
      'gemini-3-pro-preview',
    ],
    [
      'a signature on the second call only',
      [ask, model(call('a'), signed(call('b'))), user(response('a'), response('b'))],
      [[2, 'signature']],
      'gemini-3-flash',
    ],
    [
      'a later step unsigned',
      [ask, model(signed(call('a'))), user(response('a')), model(call('b')), user(response('b'))],
      [[4, 'signature']],
      'gemini-3-pro-preview',
    ],
    [
      'a step after steering text unsigned',
      [ask, model(signed(call('a'))), user(response('a'), text('hurry')), model(call('b')), user(response('b'))],
      [[4, 'signature']],
      'gemini-3-pro-preview',
    ],
  ])('%s', (_title, contents, expected, modelName) => {
    const found = findConversationViolations(contents, modelName);
    expect(found.map(({ turn, rule }) => [turn, rule])).toEqual(expected);
  });

  it('says in words what is wrong', () => {
    expect(findConversationViolations([ask, model(call('a'), call('b')), user(response('a'))])).toEqual([
      { turn: 2, rule: 'call_answers', message: '2 calls are followed by 1 responses' },
    ]);
  });
});
