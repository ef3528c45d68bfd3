import { describe, expect, it } from 'vitest';
import type { Content, GenerateContentConfig } from '../../protocol/content.ts';
import type { RequestBody } from '../wire/wire-protocol.ts';
import { toCountTokensBody, toEmbedBody, toGenerateBody } from './request-body.ts';

const toText = (body: RequestBody): string => Buffer.concat(body).toString();
const parse = (body: RequestBody): unknown => JSON.parse(toText(body));

const user = (text: string): Content => ({ role: 'user', parts: [{ text }] });

describe('toGenerateBody', () => {
  it('nests what belongs to the generation and leaves out what is not sent', () => {
    const config: GenerateContentConfig = {
      systemInstruction: 'Be brief.',
      tools: [{ functionDeclarations: [{ name: 'f', parametersJsonSchema: { type: 'object' } }] }],
      toolConfig: { functionCallingConfig: { mode: 'AUTO' } },
      safetySettings: [],
      cachedContent: 'cachedContents/1',
      temperature: 0,
      topP: 0.9,
      maxOutputTokens: 10,
      stopSequences: ['x'],
      responseMimeType: 'application/json',
      responseJsonSchema: { type: 'object' },
      thinkingConfig: { includeThoughts: true },
      abortSignal: new AbortController().signal,
    };
    expect(parse(toGenerateBody({ model: 'gemini-3-pro', contents: [user('hi')], config }))).toEqual({
      contents: [{ role: 'user', parts: [{ text: 'hi' }] }],
      systemInstruction: { parts: [{ text: 'Be brief.' }] },
      tools: [{ functionDeclarations: [{ name: 'f', parametersJsonSchema: { type: 'object' } }] }],
      toolConfig: { functionCallingConfig: { mode: 'AUTO' } },
      safetySettings: [],
      cachedContent: 'cachedContents/1',
      generationConfig: {
        temperature: 0,
        topP: 0.9,
        maxOutputTokens: 10,
        stopSequences: ['x'],
        responseMimeType: 'application/json',
        responseJsonSchema: { type: 'object' },
        thinkingConfig: { includeThoughts: true },
      },
    });
  });

  it('leaves out the form of an answer beside functions for a model that rejects it', () => {
    const form = { responseMimeType: 'application/json', responseJsonSchema: { type: 'object' } };
    const tools = [{ functionDeclarations: [{ name: 'f' }] }];
    const sent = (config: GenerateContentConfig) =>
      parse(toGenerateBody({ model: 'gemini-2.5-pro', contents: [], config }));
    expect(sent({ ...form, tools })).toEqual({ contents: [], tools });
    expect(sent(form)).toEqual({ contents: [], generationConfig: form });
  });

  it('is only the contents when nothing else is set', () => {
    expect(toText(toGenerateBody({ model: 'm', contents: [user('a'), user('b')] }))).toBe(
      '{"contents":[{"role":"user","parts":[{"text":"a"}]},{"role":"user","parts":[{"text":"b"}]}]}',
    );
    expect(toText(toGenerateBody({ model: 'm', contents: [], config: { abortSignal: AbortSignal.abort() } }))).toBe(
      '{"contents":[]}',
    );
  });

  it('takes a system instruction that is a Content as it is', () => {
    const systemInstruction = { role: 'user', parts: [{ text: 'a' }, { text: 'b' }] };
    expect(parse(toGenerateBody({ model: 'm', contents: [], config: { systemInstruction } }))).toEqual({
      contents: [],
      systemInstruction,
    });
  });

  it('is the JSON of its contents on every turn of a long session, also when an old turn is replaced', () => {
    const contents: Content[] = [];
    const check = () => expect(toText(toGenerateBody({ model: 'm', contents }))).toBe(JSON.stringify({ contents }));
    for (let turn = 0; turn < 200; turn++) {
      contents.push(user(`turn ${turn} é`));
      check();
    }
    contents[40] = user('replaced');
    check();
    check();
    contents.splice(0, 7);
    check();
    check();
    contents.length = 70;
    check();
    contents.push(user('x'.repeat(2 * 1024 * 1024)));
    for (let turn = 0; turn < 40; turn++) contents.push(user(`after ${turn}`));
    check();
    check();
  });

  it('leaves alone what was handed out, whatever the next request adds or takes back', () => {
    const first = user('first');
    const bodies = [
      [first, user('a')],
      [first, user('b'), user('c')],
      [first],
      [first, user('x'.repeat(100_000))],
      [first, user('d')],
    ].map((contents) => ({ contents, body: toGenerateBody({ model: 'm', contents }) }));
    for (const { contents, body } of bodies) expect(parse(body)).toEqual({ contents });
  });

  it('does not keep a conversation that is very large, and still sends all of it', { tags: 'wide' }, () => {
    const contents = [user('a'.repeat(9 * 1024 * 1024)), user('b'.repeat(9 * 1024 * 1024))];
    for (let turn = 0; turn < 2; turn++) {
      expect(toText(toGenerateBody({ model: 'm', contents })) === JSON.stringify({ contents })).toBe(true);
    }
  });

  it('serialises a content once, however many requests it is part of', () => {
    let serialised = 0;
    const content: Content = { role: 'user', parts: [{ text: 'long' }] };
    Object.defineProperty(content, 'toJSON', {
      value: () => {
        serialised++;
        return { role: 'user', parts: [{ text: 'long' }] };
      },
    });
    const first = toText(toGenerateBody({ model: 'm', contents: [content] }));
    const second = toText(toGenerateBody({ model: 'm', contents: [content, user('next')] }));
    expect(serialised).toBe(1);
    expect(second.startsWith(first.slice(0, -2))).toBe(true);
  });

  it.each<[string, string, string]>([
    ['a high half alone', 'a\ud83d', 'a\ufffd'],
    ['a low half alone', '\udc00b', '\ufffdb'],
    ['halves in the wrong order', '\udc00\ud83d', '\ufffd\ufffd'],
    ['a whole pair', '😀', '😀'],
    ['text that only looks like one', '\\ud83d', '\\ud83d'],
    ['control characters and separators', '\0\u2028\u2029\u007f', '\0\u2028\u2029\u007f'],
  ])('sends well-formed text for %s, in every place', (_name, text, expected) => {
    const contents: Content[] = [
      {
        role: 'user',
        parts: [{ text }, { functionCall: { name: 'f', args: { [text]: [text, 1, null, { deep: text }] } } }],
      },
    ];
    const config = { systemInstruction: text, stopSequences: [text] };
    const body = toText(toGenerateBody({ model: 'm', contents, config }));
    expect(JSON.parse(body)).toEqual({
      contents: [
        {
          role: 'user',
          parts: [
            { text: expected },
            { functionCall: { name: 'f', args: { [expected]: [expected, 1, null, { deep: expected }] } } },
          ],
        },
      ],
      systemInstruction: { parts: [{ text: expected }] },
      generationConfig: { stopSequences: [expected] },
    });
    expect(JSON.stringify(JSON.parse(body)).isWellFormed()).toBe(true);
    expect(body).not.toMatch(/(?<!\\)\\ud[89a-f]/);
  });
});

describe('toCountTokensBody', () => {
  it('holds the contents', () => {
    expect(parse(toCountTokensBody({ model: 'm', contents: [user('a')] }))).toEqual({ contents: [user('a')] });
  });
});

describe('toEmbedBody', () => {
  it('makes one request of each content', () => {
    const config = { taskType: 'RETRIEVAL_QUERY', outputDimensionality: 8, abortSignal: AbortSignal.abort() };
    expect(parse(toEmbedBody({ model: 'e', contents: ['a', user('b')], config }))).toEqual({
      requests: [
        {
          model: 'models/e',
          content: { parts: [{ text: 'a' }] },
          taskType: 'RETRIEVAL_QUERY',
          outputDimensionality: 8,
        },
        { model: 'models/e', content: user('b'), taskType: 'RETRIEVAL_QUERY', outputDimensionality: 8 },
      ],
    });
  });
});
