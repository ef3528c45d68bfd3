import { expect, test } from 'vitest';
import { PROMPT_MESSAGES, RESULT_KINDS } from './content.ts';
import { Offer } from './honest-answers.ts';
import { manyTools, toolsOf } from './odd-tools.ts';
import type { McpPages, McpScript } from './script.ts';

/** Follows cursors, at most `limit` pages. */
function pages(script: McpScript, limit: number): unknown[][] {
  const offer = new Offer(script);
  const all: unknown[][] = [];
  let cursor: string | undefined;
  do {
    const page = offer.answer('tools/list', cursor === undefined ? {} : { cursor }) as {
      tools: { name: string }[];
      nextCursor?: string;
    };
    all.push(page.tools.map(({ name }) => name));
    cursor = page.nextCursor;
  } while (cursor !== undefined && all.length < limit);
  return all;
}

test('300 tools come in pages', () => {
  const all = pages({ tools: manyTools(300), pages: { size: 64 } }, 99);
  expect(all.map(({ length }) => length)).toEqual([64, 64, 64, 64, 44]);
  expect(new Set(all.flat()).size).toBe(300);
});

test.each<[McpPages['cursors'], unknown[][]]>([
  ['loop', [['tool-1', 'tool-2'], ['tool-3'], ['tool-1', 'tool-2'], ['tool-3']]],
  [
    'same',
    [
      ['tool-1', 'tool-2'],
      ['tool-1', 'tool-2'],
      ['tool-1', 'tool-2'],
      ['tool-1', 'tool-2'],
    ],
  ],
  ['endless', [['tool-1', 'tool-2'], ['tool-3'], [], []]],
])('cursors that %s never end', (cursors, expected) => {
  expect(pages({ tools: manyTools(3), pages: { size: 2, cursors: cursors! } }, 4)).toEqual(expected);
});

test('an unknown cursor is an invalid parameter', () => {
  const offer = new Offer({ tools: manyTools(3), pages: { size: 2 } });
  expect(() => offer.answer('tools/list', { cursor: 'x' })).toThrow('Invalid cursor: "x"');
});

test('a rotating server lists in another order each time', () => {
  const offer = new Offer({ tools: manyTools(2), isRotating: true });
  const names = () => (offer.answer('tools/list', {}) as { tools: { name: string }[] }).tools.map(({ name }) => name);
  expect([names(), names(), names()]).toEqual([
    ['tool-1', 'tool-2'],
    ['tool-2', 'tool-1'],
    ['tool-1', 'tool-2'],
  ]);
});

test.each(['tools/list', 'prompts/list', 'resources/read', 'resources/subscribe', 'x/unknown'])(
  '%s is unknown to a server without its capability',
  (method) => {
    expect(() => new Offer({}).answer(method, {})).toThrow('Method not found');
  },
);

test('a schema of null is left out of the list, and extra fields are added', () => {
  const offer = new Offer({ tools: [{ name: 'a', inputSchema: null, extra: { x: 1 } }] });
  expect(offer.answer('tools/list', {})).toEqual({ tools: [{ name: 'a', x: 1 }] });
});

test('every odd tool and every kind of result survives JSON', () => {
  const tools = [...toolsOf('names'), ...toolsOf('schemas'), ...toolsOf('descriptions')];
  const offer = new Offer({ tools });
  const listed = JSON.parse(JSON.stringify(offer.answer('tools/list', {}))) as { tools: { name: string }[] };
  expect(listed.tools.map(({ name }) => name)).toEqual(tools.map(({ name }) => name));
  expect(JSON.parse(JSON.stringify(RESULT_KINDS))).toEqual(RESULT_KINDS);
});

test('a prompt fills its arguments into all messages and demands the required ones', () => {
  const prompt = { name: 'review', arguments: [{ name: 'file', required: true }], messages: [...PROMPT_MESSAGES] };
  const offer = new Offer({ prompts: [prompt] });
  const { messages } = offer.answer('prompts/get', { name: 'review', arguments: { file: 'a.ts' } }) as {
    messages: { content: { type: string; text?: string } }[];
  };
  expect(messages[0]?.content.text).toBe('Review a.ts.');
  expect(messages.map(({ content }) => content.type)).toEqual([
    'text',
    'text',
    'image',
    'audio',
    'resource',
    'resource_link',
  ]);
  expect(() => offer.answer('prompts/get', { name: 'review' })).toThrow('Missing required arguments: file');
  expect(() => offer.answer('prompts/get', { name: 'x' })).toThrow('Unknown prompt: x');
});

test('resources are read by their URI and by a template', () => {
  const offer = new Offer({
    resources: [
      { uri: 'file:///a', text: 'A', mimeType: 'text/plain' },
      { uri: 'file:///b', blob: 'AAE=' },
    ],
    templates: [{ uriTemplate: 'db://{table}/{row}', name: 'rows', text: 'row {{uri}}' }],
  });
  expect(offer.answer('resources/list', {})).toEqual({
    resources: [
      { name: 'file:///a', uri: 'file:///a', mimeType: 'text/plain' },
      { name: 'file:///b', uri: 'file:///b' },
    ],
  });
  expect(offer.answer('resources/read', { uri: 'file:///a' })).toEqual({
    contents: [{ uri: 'file:///a', mimeType: 'text/plain', text: 'A' }],
  });
  expect(offer.answer('resources/read', { uri: 'file:///b' })).toEqual({
    contents: [{ uri: 'file:///b', blob: 'AAE=' }],
  });
  expect(offer.answer('resources/read', { uri: 'db://t/1' })).toEqual({
    contents: [{ uri: 'db://t/1', text: 'row db://t/1' }],
  });
  expect(() => offer.answer('resources/read', { uri: 'db://t' })).toThrow('Resource not found');
});

test('completion offers the values of an argument that begin with what is typed', () => {
  const offer = new Offer({ prompts: [{ name: 'p', completions: { language: ['perl', 'php', 'rust'] } }] });
  const reference = { ref: { type: 'ref/prompt', name: 'p' }, argument: { name: 'language', value: 'p' } };
  expect(offer.answer('completion/complete', reference)).toEqual({
    completion: { values: ['perl', 'php'], total: 2, hasMore: false },
  });
});
