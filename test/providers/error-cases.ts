/** Rows of the fault table: rejections, what each costs and what the user reads (T28–T44, T66, T69). */

import { answer, createFakeClock, finish, fault, jsonAnswer, PER_DAY_QUOTA, say, text } from '@castor/testkit';
import type { ChatVendor, ErrorStatus, StatusOptions, Step } from '@castor/testkit';
import { expect } from 'vitest';
import type { Content } from '@castor/core';
import { only } from './fault-case.fixture.ts';
import type { Expected, FaultCase } from './fault-case.fixture.ts';
import { TEST_KEY } from './scene.fixture.ts';

const OK = say('fine');
const AGAIN: Expected = { text: 'fine', requests: 2, retries: 1, sameRequest: true };
const FAILED: Expected = { outcome: 'failed', requests: 1, retries: 0 };

const rejected = (
  id: string,
  title: string,
  letters: string,
  [status, options]: readonly [ErrorStatus, StatusOptions?],
  expected: Expected,
  vendor?: ChatVendor,
): FaultCase => ({
  id,
  title,
  protocols: only(letters),
  script: [fault(status, options)],
  ...(vendor && { scene: { server: { vendor } } }),
  expected: { ...FAILED, ...expected },
});

const waiting = (title: string, letters: string, step: Step, ms: number): FaultCase => ({
  id: 'T33',
  title,
  protocols: only(letters),
  script: [step, OK],
  expected: { ...AGAIN, waits: [ms] },
});

/** A date in seconds from now: the header is compared with the system's clock. */
const inAnHour = () => new Date(Date.now() + 3_600_000).toUTCString();
const longAgo = () => new Date(createFakeClock().now() - 60_000).toUTCString();

const OVERFLOWS: readonly (readonly [string, string])[] = [
  ['OpenAI', "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens."],
  ['OpenAI, new', 'Your input exceeds the context window of this model. Please adjust your input and try again.'],
  ['Anthropic', 'prompt is too long: 210000 tokens > 200000 maximum'],
  ['llama.cpp', 'the request exceeds the available context size, try increasing it'],
  ['xAI', "This model's maximum prompt length is 131072 but the request contains 537812 tokens."],
  ['Groq', 'Please reduce the length of the messages or completion.'],
  ['Mistral', 'Prompt contains 40000 tokens, too large for model with 32768 maximum context length'],
  ['LM Studio', 'The number of tokens to keep is greater than the context length'],
  ['Kimi', 'Invalid request: Your request exceeded model token limit: 262144'],
  ['MiniMax', 'invalid params, context window exceeds limit'],
  ['Copilot', 'prompt token count of 70000 exceeds the limit of 64000'],
  ['Bedrock', 'Input is too long for requested model.'],
  ['Ollama', 'the input length exceeds the context length of 4096'],
];

/** Enough turns that a summary is shorter than what it replaces. */
const LONG: Content[] = Array.from({ length: 12 }, (_, index): Content[] => [
  { role: 'user', parts: [{ text: `question ${index} ${'about this and that '.repeat(60)}` }] },
  { role: 'model', parts: [{ text: `answer ${index} ${'it is so and so '.repeat(60)}` }] },
]).flat();
const SNAPSHOT = say('<state_snapshot>short</state_snapshot>');

const overflow = (title: string, letters: string, first: Step): FaultCase => ({
  id: 'T40',
  title,
  protocols: only(letters),
  scene: { agent: { history: LONG } },
  script: [first, SNAPSHOT, SNAPSHOT, OK],
  expected: { text: 'fine' },
  check({ requests, model }, { events }) {
    expect(events.some(({ type }) => type === 'chat_compressed')).toBe(true);
    const [before, after] = [requests()[0]!, model.requests.at(-1)!];
    expect(after.byteLength).toBeLessThan(before.byteLength);
    expect(JSON.stringify(after.body)).toContain('hello');
  },
});

export const ERROR_CASES: readonly FaultCase[] = [
  {
    id: 'T28',
    title: '401 names the source of the key, and is not retried',
    script: [fault(401)],
    expected: { ...FAILED, reason: 'unauthorized', says: /The key is from TEST_KEY\./ },
    check: (_scene, { detail }) => expect(detail).not.toContain(TEST_KEY),
  },
  rejected('T29', '402', 'CRAO', [402], { reason: 'quota' }),
  rejected('T29', '429 insufficient_quota', 'CR', [429, { quotaId: PER_DAY_QUOTA }], { reason: 'quota' }),
  rejected('T29', '429 a quota of the day', 'G', [429, { quotaId: PER_DAY_QUOTA }], { reason: 'quota' }),
  rejected('T29', '400 billing_error', 'A', [400, { type: 'billing_error' }], { reason: 'quota' }),
  rejected('T29', '400 credit balance', 'A', [400, { message: 'Your credit balance is too low' }], { reason: 'quota' }),
  rejected('T30', '403', 'GCRAO', [403], { reason: 'forbidden' }),
  {
    id: 'T30',
    title: '403 with reasons',
    protocols: only('C'),
    script: [
      jsonAnswer(403, {
        error: { code: 403, message: 'Input was flagged', metadata: { reasons: ['violence', 'harassment'] } },
      }),
    ],
    expected: { ...FAILED, reason: 'forbidden', says: /Input was flagged.*violence, harassment/ },
  },
  {
    id: 'T31',
    title: '404 names the address',
    script: [fault(404)],
    expected: { ...FAILED, reason: 'not_found', says: /http:\/\/127\.0\.0\.1:\d+\// },
  },
  rejected(
    'T32',
    'Q40: 404, no endpoint with tools',
    'C',
    [404, { message: 'No endpoints found that support tool use.' }],
    { reason: 'not_found', says: /support tool use/ },
    'openrouter',
  ),
  waiting('retry-after 2', 'GCRAO', fault(429, { retryAfter: 2 }), 2_000),
  waiting('retry-after 2.5', 'GCRAO', fault(429, { retryAfter: '2.5' }), 2_500),
  waiting('retry-after 7 on 503', 'GCRAO', fault(503, { retryAfter: 7 }), 7_000),
  waiting('retry-after-ms 1700', 'GCRAO', fault(429, { headers: { 'retry-after-ms': '1700' } }), 1_700),
  waiting('words, in 900ms', 'CRAO', fault(429, { message: 'Rate limit reached. Please try again in 900ms.' }), 900),
  waiting('words, in 11.054s', 'CRAO', fault(429, { message: 'Rate limit. Please try again in 11.054s.' }), 11_054),
  waiting('words, in 34.2s', 'G', fault(429, { message: 'Quota exceeded. Please retry in 34.2s.' }), 34_200),
  {
    id: 'T33',
    title: 'retry-after as a date',
    script: () => [fault(429, { retryAfter: new Date(Date.now() + 240_000).toUTCString() }), OK],
    expected: AGAIN,
    // The header is compared with the system's clock, which went on since.
    check: (_scene, { waits }) =>
      expect(waits).toEqual([expect.toSatisfy((ms: number) => ms > 60_000 && ms < 300_000)]),
  },
  {
    id: 'T33',
    title: 'a retry-after that has passed sets no pace',
    script: [fault(429, { retryAfter: longAgo() }), OK],
    expected: AGAIN,
  },
  rejected('T34', 'retry-after 3600', 'GCRAO', [429, { retryAfter: 3_600 }], { reason: 'quota' }),
  rejected('T34', 'retry-after in an hour', 'GCRAO', [429, { retryAfter: inAnHour() }], { reason: 'quota' }),
  rejected('T35', 'x-should-retry: false', 'CRA', [500, { headers: { 'x-should-retry': 'false' } }], {
    reason: 'server',
  }),
  {
    id: 'T36',
    title: '529 before the stream',
    script: [fault(529), OK],
    expected: AGAIN,
    check: (_scene, { retries }) => expect(retries[0]!.value?.error.reason).toBe('server'),
  },
  {
    id: 'T36',
    title: '529 in the stream',
    script: [fault('error_frame', { status: 529 }), OK],
    expected: AGAIN,
    check: (_scene, { retries }) => expect(retries[0]!.value?.error.reason).toBe('server'),
  },
  {
    id: 'T37',
    title: '500 twice, then good',
    script: [fault(500), fault(500), OK],
    expected: { text: 'fine', requests: 3, retries: 2, sameRequest: true },
  },
  {
    id: 'T38',
    title: 'Q31: a server on this machine repeats its 500',
    protocols: only('CRAO'),
    scene: { isLocal: true },
    script: [
      fault(500, { message: 'Failed to parse tool call' }),
      fault(500, { message: 'Failed to parse tool call' }),
    ],
    expected: { outcome: 'failed', reason: 'server', requests: 2, says: /Failed to parse tool call/ },
  },
  {
    id: 'T39',
    title: 'Q27: 503 while the model loads, fifteen times',
    protocols: only('CRAO'),
    scene: { isLocal: true },
    script: [...Array.from({ length: 15 }, () => fault(503, { message: 'Loading model' })), OK],
    expected: { text: 'fine', requests: 16, retries: 15, waits: Array.from({ length: 15 }, () => 1_500) },
    check: (_scene, { retries }) => expect(retries[0]!.value?.error.message).toMatch(/model is being loaded/),
  },
  {
    id: 'T39',
    title: 'Q28: 503 for the ten minutes that a model may take to load, and no longer',
    protocols: only('C'),
    scene: { isLocal: true },
    script: Array.from({ length: 400 }, () => fault(503, { message: 'Loading model' })),
    expected: { outcome: 'failed', reason: 'server', requests: 400, retries: 399 },
    check: (_scene, { waits }) => {
      const minutes = waits.reduce((sum, ms) => sum + ms, 0) / 60_000;
      // A wait is up to a fifth longer than asked.
      expect(minutes).toSatisfy((all: number) => all > 9.9 && all < 12.1);
    },
  },
  ...OVERFLOWS.map(([who, message]) => overflow(`overflow in the words of ${who}`, 'CRAO', fault(400, { message }))),
  overflow(
    'overflow in the words of Gemini',
    'G',
    fault(400, { message: 'The input token count (1300000) exceeds the maximum number of tokens allowed (1048576).' }),
  ),
  overflow('413', 'GCRAO', fault(413)),
  {
    id: 'T41',
    title: '413 for a minute, which fits later',
    protocols: only('C'),
    script: [fault(413, { message: 'Request too large: tokens per minute (TPM): Limit 6000, Requested 5000' }), OK],
    expected: AGAIN,
  },
  overflow(
    '413 for a minute, which never fits',
    'C',
    fault(413, { message: 'Request too large: tokens per minute (TPM): Limit 6000, Requested 9000' }),
  ),
  ...[
    ["Invalid schema for function 'list_files': bad", 'CRAO', 'list_files'],
    ['tools.1.custom.input_schema: JSON schema is invalid.', 'A', 'list_files'],
    ['tools[0].function.parameters: unsupported schema', 'C', 'read_file'],
    ['* GenerateContentRequest.tools[0].function_declarations[1].parameters: bad', 'G', 'list_files'],
    ['Unable to submit request because `list_files` functionDeclaration `x` schema is bad', 'G', 'list_files'],
  ].map(([message, letters, tool]): FaultCase => ({
    id: 'T42',
    title: `400 naming a schema: ${message}`,
    protocols: only(letters!),
    script: [fault(400, { message: message! }), say('first'), OK],
    prompts: ['one', 'two'],
    expected: { text: 'fine', retries: 0, requests: 3, notices: [] },
    check: ({ requests }, _seen, [first]) => {
      expect(first!.notices).toEqual([
        expect.stringMatching(`rejects the schema of the tool ${tool}, which is left out`),
      ]);
      expect(requests().map(({ body }) => JSON.stringify(body).includes(`"name":"${tool}"`))).toEqual([
        true,
        false,
        false,
      ]);
    },
  })),
  ...['stream_options', 'tool_choice', 'parallel_tool_calls', 'store'].map((field): FaultCase => ({
    id: field === 'stream_options' ? 'T44' : 'T43',
    title: `Q18 Q47: 400 naming ${field}`,
    protocols: only('C'),
    script: [
      ...(field === 'stream_options'
        ? [fault(400, { message: `Unrecognized request argument supplied: ${field}` })]
        : []),
      answer(text('fine'), finish('STOP', { usage: null })),
      OK,
    ],
    prompts: ['one', 'two'],
    expected: { text: 'fine', retries: 0, requests: field === 'stream_options' ? 3 : 2 },
    check: ({ requests }) => {
      for (const { body } of requests().slice(field === 'stream_options' ? 1 : 0)) {
        expect(body).not.toHaveProperty(field);
      }
    },
  })),
  {
    id: 'T69',
    title: 'a key in the body of an error is masked',
    script: [fault(400, { message: `The key ${TEST_KEY} is odd` })],
    expected: { ...FAILED, says: /The key \[hidden\] is odd/ },
    check: (_scene, { events }) => expect(JSON.stringify(events)).not.toContain(TEST_KEY),
  },
  {
    id: 'T69',
    title: 'a key in an error of the stream is masked',
    // Ollama's lines name no status: the error may pass.
    script: (protocol) =>
      Array.from({ length: protocol === 'ollama' ? 4 : 1 }, () =>
        fault('error_frame', { status: 400, message: `The key ${TEST_KEY} is odd` }),
      ),
    expected: { outcome: 'failed', says: /The key \[hidden\] is odd/ },
    check: (_scene, { events }) => expect(JSON.stringify(events)).not.toContain(TEST_KEY),
  },
  {
    id: 'T69',
    title: 'a key in a page of HTML is masked',
    script: [
      {
        kind: 'answer',
        head: { status: 403, headers: { 'content-type': 'text/html' } },
        pieces: [{ kind: 'bytes', bytes: Buffer.from(`<title>${TEST_KEY} refused</title>`) }],
        wire: {},
      },
    ],
    expected: { ...FAILED },
    check: (_scene, { events }) => expect(JSON.stringify(events)).not.toContain(TEST_KEY),
  },
  {
    id: 'Q42',
    title: '403 as HTML is a gateway, not a permission of the key',
    script: [fault('html_body', { status: 403 })],
    expected: { ...FAILED, reason: 'forbidden', says: /HTTP 403.*Error 403/ },
  },
];
