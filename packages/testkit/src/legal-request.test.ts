import { describe, expect, it } from 'vitest';
import { findRequestViolations } from './legal-request.ts';

const contents = [{ role: 'user', parts: [{ text: 'hello' }] }];
const declare = (...names: unknown[]) => ({ functionDeclarations: names.map((name) => ({ name })) });

describe('findRequestViolations', () => {
  it('takes a body with everything in it', () => {
    const body = {
      contents,
      systemInstruction: { parts: [{ text: 'Be brief.' }] },
      tools: [declare('read_file', 'a'.repeat(64)), declare('write_file'), { googleSearch: {} }],
      toolConfig: { functionCallingConfig: { mode: 'AUTO' } },
      safetySettings: [],
      cachedContent: 'cachedContents/a',
      generationConfig: { temperature: 0, thinkingConfig: { includeThoughts: true } },
      labels: {},
    };
    expect(findRequestViolations(body)).toEqual([]);
  });

  it.each<[title: string, body: unknown, expected: string[]]>([
    ['a body that is no object', [contents], ['the body is not a JSON object']],
    ['an unknown field', { contents, config: {} }, ['the body has the unknown field "config"']],
    ['a generationConfig that is no object', { contents, generationConfig: [] }, ['generationConfig is not an object']],
    [
      'a generationConfig with a field of ours',
      { contents, generationConfig: { abortSignal: {} } },
      ['generationConfig has the unknown field "abortSignal"'],
    ],
    [
      'a systemInstruction as a string',
      { contents, systemInstruction: 'Be brief.' },
      ['systemInstruction has no parts'],
    ],
    [
      'a systemInstruction with empty text',
      { contents, systemInstruction: { parts: [{ text: '' }] } },
      ['systemInstruction has a part without text'],
    ],
    ['tools that are no list', { contents, tools: {} }, ['tools is not a list']],
    ['an empty tool', { contents, tools: [{}] }, ['a tool is empty']],
    ['no declarations', { contents, tools: [declare()] }, ['functionDeclarations is empty']],
    [
      'a name declared twice',
      { contents, tools: [declare('a'), declare('b', 'a')] },
      ['the function a is declared twice'],
    ],
    [
      'a name that is too long',
      { contents, tools: [declare('a'.repeat(65))] },
      [`"${'a'.repeat(65)}" is not a name for a function of at most 64 characters`],
    ],
    [
      'a name that is none',
      { contents, tools: [declare(undefined)] },
      ['undefined is not a name for a function of at most 64 characters'],
    ],
    ['a toolConfig that is no object', { contents, toolConfig: 'ANY' }, ['toolConfig is not an object']],
  ])('refuses %s', (_title, body, expected) => {
    expect(findRequestViolations(body)).toEqual(expected);
  });
});
