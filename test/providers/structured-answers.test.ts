/** Answers in a format: checked on every protocol, asked for again in the provider's own form, and given up with a reason. */

import { tmpdir } from 'node:os';
import { createAgent, createAnswerFormat, createGeminiGenerator, ToolRegistry } from '@castor/core';
import { answer, call, fakeModel, fault, say, text } from '@castor/testkit';
import { describe, expect, it } from 'vitest';
import type { ProtocolName } from '../../packages/core/src/provider/providers.ts';
import { openScene, PROTOCOLS, sceneTools } from './scene.fixture.ts';
import type { RanCall, SceneOptions } from './scene.fixture.ts';

const SCHEMA = {
  type: 'object',
  properties: { files: { type: 'array', items: { type: 'string' } }, count: { type: 'integer' } },
  required: ['files', 'count'],
  additionalProperties: false,
};
const GOOD = '{"files":["a"],"count":1}';
const READ = answer(text('I read.'), call('read_file', { path: 'a' }, { id: 'one' }));

/** A provider as its row describes it: OpenAI takes a form beside tools. */
const access = { quirks: { formBesideTools: true } };

const open = (protocol: ProtocolName, script: Parameters<typeof openScene>[1], options: SceneOptions = {}) =>
  openScene(protocol, script, {
    access,
    ...options,
    agent: { answerFormat: createAnswerFormat(SCHEMA), ...options.agent },
  });

/** Providers that take a form in a request with tools. A Gemini model before the third and Ollama do not. */
const BESIDE_TOOLS: readonly ProtocolName[] = ['chat', 'responses', 'anthropic'];

/** Where each protocol says that the answer must be JSON of a schema. */
const NATIVE: Readonly<Record<ProtocolName, (body: never) => unknown>> = {
  gemini: ({ generationConfig }: { generationConfig: { responseJsonSchema: unknown } }) =>
    generationConfig?.responseJsonSchema,
  chat: (body: { response_format?: { json_schema: { schema: unknown } } }) => body.response_format?.json_schema.schema,
  responses: (body: { text?: { format: { schema: unknown } } }) => body.text?.format.schema,
  anthropic: (body: { output_config?: { format: { schema: unknown } } }) => body.output_config?.format.schema,
  ollama: ({ format }: { format: unknown }) => format,
};

describe.each(PROTOCOLS)('over %s', (protocol) => {
  it('a valid answer costs no further request, and the schema is told with the prompt', async () => {
    await using scene = await open(protocol, [READ, say(`\`\`\`json\n${GOOD}\n\`\`\``)]);
    const { outcome } = await scene.ask('List the files.');
    expect([outcome, scene.requests().length, scene.ran.length]).toEqual(['completed', 2, 1]);
    expect(JSON.stringify(scene.requests()[0]!.body)).toContain(JSON.stringify(JSON.stringify(SCHEMA)).slice(1, -1));
    scene.model.assertDone();
  });

  it('an invalid one is asked for again without tools, in the form of the provider', async () => {
    await using scene = await open(protocol, [READ, say('It has one file, a.'), say('{"files":["a"]}'), say(GOOD)]);
    const { outcome } = await scene.ask('List the files.');
    const bodies = scene.requests().map(({ body }) => body as Record<string, unknown>);
    expect([outcome, bodies.length]).toEqual(['completed', 4]);
    const first = BESIDE_TOOLS.includes(protocol) ? SCHEMA : undefined;
    expect(bodies.map((body) => NATIVE[protocol](body as never))).toEqual([first, first, SCHEMA, SCHEMA]);
    expect(bodies.map((body) => body['tools'] !== undefined)).toEqual([true, true, false, false]);
    expect(JSON.stringify(bodies[2])).toContain('It is not JSON.');
    expect(JSON.stringify(bodies[3])).toContain('count');
    scene.model.assertDone();
  });

  it('the third invalid one is the end, with the reason', async () => {
    await using scene = await open(protocol, [say('No.'), say('{}'), say('[]'), say(GOOD)]);
    const { outcome, events, detail } = await scene.ask('List the files.');
    expect([outcome, scene.requests().length]).toEqual(['invalid_stream', 3]);
    expect(detail).toMatch(/^The answer does not match the schema, also after 2 further requests: #/);
    expect(events.find(({ type }) => type === 'invalid_stream')).toMatchObject({ value: { type: 'INVALID_ANSWER' } });
  });

  it('tools are back for the next prompt', async () => {
    await using scene = await open(protocol, [say('No.'), say(GOOD), READ, say(GOOD)]);
    await scene.ask('List the files.');
    const { outcome } = await scene.ask('Again.');
    expect([outcome, scene.ran.length]).toEqual(['completed', 1]);
    scene.model.assertDone();
  });
});

const formsIn = (protocol: ProtocolName, scene: Awaited<ReturnType<typeof open>>) =>
  scene.requests().map(({ body }) => NATIVE[protocol](body as never));
const REJECTION = "Invalid schema for response_format 'answer': schema must be of type object.";

describe.each(PROTOCOLS)('over %s, a form that the service rejects', (protocol) => {
  it('is asked for in words from then on', async () => {
    const script = [say('No.'), fault(400, { message: REJECTION }), say('{}'), say(GOOD)];
    // Beside tools the first request is the one that is rejected.
    const [first, second, ...rest] = script;
    const isEarly = BESIDE_TOOLS.includes(protocol);
    await using scene = await open(
      protocol,
      isEarly ? [second!, first!, fault(400, { message: REJECTION }), ...rest] : script,
    );
    const { outcome } = await scene.ask('List the files.');
    const expected = isEarly
      ? [SCHEMA, undefined, SCHEMA, undefined, undefined]
      : [undefined, SCHEMA, undefined, undefined];
    expect([outcome, formsIn(protocol, scene)]).toEqual(['completed', expected]);
    scene.model.assertDone();
  });

  it('is sent again when something else was wrong', async () => {
    const rejection = fault(400, { message: 'Invalid request.' });
    const isEarly = BESIDE_TOOLS.includes(protocol);
    await using scene = await open(protocol, [rejection, ...(isEarly ? [rejection] : []), say(GOOD)]);
    const outcomes = [await scene.ask('List the files.'), await scene.ask('Again.')].map(({ outcome }) => outcome);
    expect(outcomes).toEqual(['failed', 'completed']);
    expect(formsIn(protocol, scene)).toEqual(isEarly ? [SCHEMA, undefined, SCHEMA] : [undefined, undefined]);
    scene.model.assertDone();
  });
});

it('over ollama, a schema that has no grammar is a failure of the server, and asked for in words', async () => {
  const failure = fault(500, { body: { error: 'invalid JSON schema in format' } });
  await using scene = await open('ollama', [say('No.'), failure, say(GOOD)]);
  expect((await scene.ask('List the files.')).outcome).toBe('completed');
  expect(formsIn('ollama', scene)).toEqual([undefined, SCHEMA, undefined]);
});

it.each(PROTOCOLS)('over %s, an agent without tools sends the form with its first request', async (protocol) => {
  await using scene = await open(protocol, [say(GOOD)], { agent: { tools: new ToolRegistry([]) } });
  expect((await scene.ask('List the files.')).outcome).toBe('completed');
  expect(formsIn(protocol, scene)).toEqual([SCHEMA]);
  scene.model.assertDone();
});

it.each([
  ['gemini-2.5-pro', undefined],
  ['gemini-3-pro', SCHEMA],
])('%s gets the form beside functions if it takes it', async (name, expected) => {
  await using model = await fakeModel([READ, say(GOOD)]);
  const generator = createGeminiGenerator({ apiKey: 'k', baseUrl: model.url });
  const ran: RanCall[] = [];
  const answerFormat = createAnswerFormat(SCHEMA);
  const { session } = createAgent({
    generator,
    model: name,
    answerFormat,
    tools: sceneTools(ran),
    tempDirectory: tmpdir(),
  });
  for await (const event of session.prompt('List.', new AbortController().signal)) void event;
  expect(model.requests.map(({ body }) => NATIVE.gemini(body as never))).toEqual([expected, expected]);
  expect(ran.length).toBe(1);
  generator.close();
  model.assertDone();
});

it.each(['chat', 'responses'] as const)(
  'over %s, a server on this machine gets no form beside tools',
  async (protocol) => {
    await using scene = await open(protocol, [READ, say(GOOD)], { isLocal: true });
    await scene.ask('List the files.');
    expect(formsIn(protocol, scene)).toEqual([undefined, undefined]);
  },
);

describe('a schema that a service enforces in part', () => {
  const LIMITED = {
    type: 'object',
    properties: {
      name: { type: 'string', minLength: 3, format: 'regex' },
      size: { oneOf: [{ type: 'integer', minimum: 10 }, { type: 'null' }] },
    },
    required: ['name'],
  };
  const answerFormat = createAnswerFormat(LIMITED);

  it.each(['chat', 'responses'] as const)('is sent over %s as it is, and not enforced', async (protocol) => {
    await using scene = await open(protocol, [say('{"name":"abc"}')], { agent: { answerFormat } });
    expect((await scene.ask('Name it.')).outcome).toBe('completed');
    expect(JSON.stringify(scene.requests()[0]!.body)).toContain('"strict":false');
    expect(formsIn(protocol, scene)).toEqual([LIMITED]);
    scene.model.assertDone();
  });

  it.each(['chat', 'responses'] as const)('is enforced over %s where nothing has to change', async (protocol) => {
    await using scene = await open(protocol, [say(GOOD)]);
    await scene.ask('List the files.');
    expect(JSON.stringify(scene.requests()[0]!.body)).toContain('"strict":true');
    scene.model.assertDone();
  });

  it('is sent to Anthropic without its limits, and the answer is checked with them', async () => {
    await using scene = await open('anthropic', [say('{"name":"ab","size":1}'), say('{"name":"abc","size":null}')], {
      agent: { answerFormat },
    });
    expect((await scene.ask('Name it.')).outcome).toBe('completed');
    const sent = {
      type: 'object',
      properties: { name: { type: 'string' }, size: { anyOf: [{ type: 'integer' }, { type: 'null' }] } },
      required: ['name'],
      additionalProperties: false,
    };
    expect(formsIn('anthropic', scene)).toEqual([sent, sent]);
    scene.model.assertDone();
  });

  it.each([
    ['a map', { type: 'object', additionalProperties: { type: 'string' } }, '{"a":"b"}'],
    ['a sum of schemas', { allOf: [{ type: 'object', properties: { a: {} } }] }, '{"a":1}'],
    ['any object', { type: 'object' }, '{"a":1}'],
    ['a required name without a schema', { type: 'object', properties: { a: {} }, required: ['b'] }, '{"b":1}'],
  ])('is asked for in words where a closed object means something else: %s', async (_name, schema, good) => {
    await using scene = await open('anthropic', [say('No.'), say(good)], {
      agent: { answerFormat: createAnswerFormat(schema) },
    });
    expect((await scene.ask('Map it.')).outcome).toBe('completed');
    expect(formsIn('anthropic', scene)).toEqual([undefined, undefined]);
    scene.model.assertDone();
  });
});

describe('a format', () => {
  it.each<[string, unknown, string]>([
    ['a list', [], 'A schema must be a JSON object.'],
    ['a dead reference', { $ref: '#/$defs/none' }, 'leads to nothing in the schema.'],
    ['too long', { description: 'x'.repeat(100_001) }, 'The schema has more than 100000 characters.'],
  ])('is rejected when its schema is %s', (_name, schema, sentence) => {
    expect(() => createAnswerFormat(schema)).toThrow(sentence);
  });

  it.each<[string, string | undefined]>([
    [GOOD, undefined],
    [` \n${GOOD}\n`, undefined],
    [`\`\`\`\n${GOOD}\n\`\`\``, undefined],
    [`Here: ${GOOD}`, 'It is not JSON.'],
    [`${GOOD} ${GOOD}`, 'It is not JSON.'],
    ['', 'It is not JSON.'],
    ['{"files":"a","count":1}', '#/files'],
    ['{"files":[],"count":1,"more":1}', 'more'],
  ])('judges %j', (given, problem) => {
    const found = createAnswerFormat(SCHEMA).problemOf(given);
    if (problem === undefined) expect(found).toBeUndefined();
    else expect(found).toContain(problem);
  });
});
