/** Answers in a format: checked on every protocol, asked for again in the provider's own form, and given up with a reason. */

import { createAnswerFormat } from '@castor/core';
import { answer, call, fault, say, text } from '@castor/testkit';
import { describe, expect, it } from 'vitest';
import type { ProtocolName } from '../../packages/core/src/provider/providers.ts';
import { openScene, PROTOCOLS } from './scene.fixture.ts';

const SCHEMA = {
  type: 'object',
  properties: { files: { type: 'array', items: { type: 'string' } }, count: { type: 'integer' } },
  required: ['files', 'count'],
  additionalProperties: false,
};
const GOOD = '{"files":["a"],"count":1}';
const READ = answer(text('I read.'), call('read_file', { path: 'a' }, { id: 'one' }));

const open = (protocol: ProtocolName, script: Parameters<typeof openScene>[1]) =>
  openScene(protocol, script, { agent: { answerFormat: createAnswerFormat(SCHEMA) } });

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
    expect(bodies.map((body) => NATIVE[protocol](body as never))).toEqual([undefined, undefined, SCHEMA, SCHEMA]);
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

it.each(['chat', 'responses'] as const)(
  'over %s, a schema that the service rejects is asked for in words',
  async (protocol) => {
    const message = "Invalid schema for response_format 'answer': schema must be of type object.";
    const rejection = fault(400, { message, type: 'invalid_request_error', param: 'response_format' });
    await using scene = await open(protocol, [say('No.'), rejection, say('{}'), say(GOOD)]);
    const { outcome } = await scene.ask('List the files.');
    const bodies = scene.requests().map(({ body }) => body as never);
    expect([outcome, bodies.map(NATIVE[protocol])]).toEqual(['completed', [undefined, SCHEMA, undefined, undefined]]);
  },
);

describe('a format', () => {
  it.each<[string, unknown, string]>([
    ['a list', [], 'A schema must be a JSON object.'],
    ['a dead reference', { $ref: '#/$defs/none' }, 'The schema is invalid:'],
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
