import { describe, expect, it } from 'vitest';
import type { Content, GenerateContentParameters, Part } from '../protocol/content.ts';
import {
  applyHookRequest,
  applyHookResponse,
  fromHookResponse,
  toHookRequest,
  toHookResponse,
} from './llm-translation.ts';

const turn = (role: string, ...parts: Part[]): Content => ({ role, parts });
const CALL: Part = { functionCall: { name: 'f', args: {}, id: '1' }, thoughtSignature: 's' };
const RESPONSE: Part = { functionResponse: { name: 'f', response: {}, id: '1' } };
const REQUEST: GenerateContentParameters = {
  model: 'm',
  contents: [
    turn('user', { text: 'one' }, { inlineData: { mimeType: 'image/png', data: 'x' } }, { text: ' two' }),
    turn('model', { text: 'thinking', thought: true }, CALL),
    turn('user', RESPONSE),
    turn('model', { text: 'three' }),
    turn('user', { text: 'four' }),
  ],
  config: { temperature: 1, topK: 3, systemInstruction: 'be kind' },
};

describe('a request', () => {
  it('is shown as its text', () => {
    expect(toHookRequest(REQUEST)).toEqual({
      model: 'm',
      messages: [
        { role: 'user', content: 'one two' },
        { role: 'model', content: 'three' },
        { role: 'user', content: 'four' },
      ],
      config: { temperature: 1, topK: 3 },
    });
  });

  it.each<[string, Record<string, unknown>]>([
    ['nothing', {}],
    ['the same again', { ...toHookRequest(REQUEST) }],
    ['what is no request', { messages: 'x', model: 1, config: [] }],
    ['no more than the first messages', { messages: toHookRequest(REQUEST).messages.slice(0, 1) }],
  ])('is left as it is by a hook that gives %s', (_, change) => {
    expect(applyHookRequest(REQUEST, change)).toBeUndefined();
  });

  it('takes new texts in place of the old, keeps what is no text, and appends what is left over', () => {
    const messages = [{ content: 'ONE' }, { content: [{ type: 'text', text: 'THREE' }] }, { content: 'four' }];
    const more = [
      { role: 'user', content: 'five' },
      { role: 'assistant', content: 'six' },
    ];
    const changed = applyHookRequest(REQUEST, { messages: [...messages, ...more] });
    expect(changed?.contents).toEqual([
      turn('user', { text: 'ONE' }, { inlineData: { mimeType: 'image/png', data: 'x' } }),
      REQUEST.contents[1],
      REQUEST.contents[2],
      turn('model', { text: 'THREE' }),
      turn('user', { text: 'four' }, { text: 'five' }),
      turn('model', { text: 'six' }),
    ]);
  });

  it('takes another model and other numbers', () => {
    expect(applyHookRequest(REQUEST, { model: 'other', config: { temperature: 0, tools: [] } })).toEqual({
      ...REQUEST,
      model: 'other',
      config: { ...REQUEST.config, temperature: 0 },
    });
  });
});

describe('an answer', () => {
  const ANSWER = {
    candidates: [
      {
        content: turn('model', { text: 't', thought: true }, { text: 'a' }, { text: 'b' }, CALL),
        finishReason: 'STOP',
        index: 0,
      },
    ],
    usageMetadata: { totalTokenCount: 3 },
    responseId: 'r',
  };

  it('is shown as its text', () => {
    expect(toHookResponse(ANSWER)).toEqual({
      text: 'ab',
      candidates: [{ content: { role: 'model', parts: ['a', 'b'] }, finishReason: 'STOP', index: 0 }],
      usageMetadata: { totalTokenCount: 3 },
    });
    expect(toHookResponse({})).toEqual({ candidates: [] });
    const safetyRatings = [{ category: 'HARM_CATEGORY_HARASSMENT', probability: 'LOW' }];
    const rated = { candidates: [{ content: turn('model'), safetyRatings }] };
    expect(toHookResponse(rated).candidates).toEqual([{ content: { role: 'model', parts: [] }, safetyRatings }]);
  });

  it.each<[string, Record<string, unknown>]>([
    ['parts', { candidates: [{ content: { parts: ['x'] } }] }],
    ['parts as the service has them', { candidates: [{ content: { parts: [{ text: 'x' }] } }] }],
    ['a text', { text: 'x' }],
  ])('takes %s in place of its text and keeps the rest', (_, change) => {
    const [candidate] = ANSWER.candidates;
    const content = turn('model', { text: 'x' }, { text: 't', thought: true }, CALL);
    expect(applyHookResponse(ANSWER, change)).toEqual({ ...ANSWER, candidates: [{ ...candidate, content }] });
  });

  it('loses its text to a hook that gives none', () => {
    const changed = applyHookResponse(ANSWER, { candidates: [{ content: { parts: [] } }] });
    expect(changed?.candidates?.[0]?.content?.parts).toEqual([{ text: 't', thought: true }, CALL]);
  });

  it.each<[Record<string, unknown>]>([[{}], [{ candidates: [] }], [{ candidates: 5, text: 1 }]])(
    'is left as it is by %j',
    (change) => {
      expect([applyHookResponse(ANSWER, change), fromHookResponse(change)]).toEqual([undefined, undefined]);
    },
  );

  it('can be made by a hook', () => {
    const made = fromHookResponse({ candidates: [{ content: { role: 'model', parts: ['x'] }, finishReason: 'STOP' }] });
    expect(made).toEqual({ candidates: [{ content: turn('model', { text: 'x' }), finishReason: 'STOP', index: 0 }] });
  });
});
