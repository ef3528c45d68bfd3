/** Rows of the fault table: quirks of local and gateway servers that no other row plays (providers.md, section 4). */

import { answer, bytes, call, dialect, fault, finish, jsonAnswer, raw, say, text } from '@castor/testkit';
import { expect } from 'vitest';
import { PROVIDERS } from '../../packages/core/src/provider/providers.ts';
import { only } from './fault-case.fixture.ts';
import type { Expected, FaultCase } from './fault-case.fixture.ts';
import { sentIn } from './sent-request.fixture.ts';

const OK = say('fine');
const FAILED: Expected = { outcome: 'failed', requests: 1, retries: 0 };
const READ = answer(call('read_file', { path: 'a' }), finish());

const told = (
  id: string,
  title: string,
  letters: string,
  status: number,
  error: unknown,
  expected: Expected,
): FaultCase => ({
  id,
  title,
  protocols: only(letters),
  script: [jsonAnswer(status, error)],
  expected: { ...FAILED, ...expected },
});

export const QUIRK_CASES: readonly FaultCase[] = [
  {
    id: 'Q2',
    title: '400 naming the window of the server',
    protocols: only('O'),
    script: [jsonAnswer(400, { error: 'prompt of 9000 tokens exceeds the context length of 4096' })],
    expected: { ...FAILED, reason: 'context_overflow' },
  },
  {
    id: 'Q36',
    title: 'a window that prompt and answer share: no limit of the answer is sent unless the user sets one',
    protocols: only('C'),
    script: [
      jsonAnswer(400, {
        error: {
          message:
            "This model's maximum context length is 4096 tokens. However, you requested 5000 tokens (3000 in the messages, 2000 in the completion).",
        },
      }),
    ],
    expected: { ...FAILED, reason: 'context_overflow' },
    check: ({ requests }) => {
      for (const field of ['max_tokens', 'max_completion_tokens'])
        expect(requests()[0]!.body).not.toHaveProperty(field);
    },
  },
  {
    id: 'Q55',
    title: 'the same call again and again: the model is told after five, the prompt ends after ten',
    script: Array.from({ length: 10 }, () => READ),
    expected: { outcome: 'loop_detected', requests: 10 },
  },
  {
    id: 'Q41',
    title: 'a router that answers by another provider each time',
    protocols: only('C'),
    script: ['A', 'B'].map((provider) =>
      answer(raw({ id: 'x', provider, choices: [{ index: 0, delta: { content: provider } }] }), finish()),
    ),
    prompts: ['one', 'two'],
    expected: { text: 'B', requests: 2, retries: 0, notices: [] },
  },
  {
    id: 'Q22',
    title: 'comments and blank lines while waiting',
    protocols: only('GCRA'),
    script: [
      answer(
        bytes(': OPENROUTER PROCESSING\n\n:\n\n\n\n: ping\n\n'),
        text('fi'),
        bytes(':\n\n\n\n'),
        text('ne'),
        finish(),
      ),
    ],
    expected: { text: 'fine', requests: 1, retries: 0 },
  },
  {
    id: 'Q22',
    title: 'blank lines while waiting',
    protocols: only('O'),
    script: [answer(bytes('\n\n \n'), text('fi'), bytes('\r\n\n'), text('ne'), finish())],
    expected: { text: 'fine', requests: 1, retries: 0 },
  },
  ...['text/plain', 'application/json', ''].map((type): FaultCase => ({
    id: 'Q25',
    title: `an error body that is text of the type "${type}"`,
    script: [
      {
        kind: 'answer',
        head: { status: 400, headers: { 'content-type': type } },
        pieces: [bytes('upstream says no')],
        wire: {},
      },
    ],
    expected: { ...FAILED, reason: 'invalid_request', says: /HTTP 400.*upstream says no/ },
  })),
  told(
    'Q29',
    'LM Studio without a model',
    'C',
    400,
    { error: 'No models loaded. Please load a model.' },
    {
      reason: 'not_found',
      says: /No models loaded/,
    },
  ),
  told(
    'Q29',
    'LM Studio evicts the model',
    'C',
    400,
    { error: { message: 'Model unloaded.' } },
    {
      reason: 'not_found',
      says: /Model unloaded/,
    },
  ),
  told(
    'Q34',
    'vLLM without its tool flags',
    'C',
    400,
    {
      error: {
        message: '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set',
        code: 400,
      },
    },
    { reason: 'invalid_request', says: /--enable-auto-tool-choice and --tool-call-parser/ },
  ),
  {
    id: 'Q43',
    title: 'a proxy delivers the whole stream at once',
    script: [dialect(READ, { chunking: 1_000_000 }), dialect(say(['fi', 'ne']), { chunking: 1_000_000 })],
    expected: { text: 'fine', requests: 2, retries: 0 },
  },
  told(
    'Q44',
    'Azure: the deployment is missing',
    'CR',
    404,
    { error: { code: 'DeploymentNotFound', message: 'The API deployment for this resource does not exist.' } },
    {
      reason: 'not_found',
      says: /deployment .* does not exist\..*The request went to/,
    },
  ),
  told(
    'Q44',
    'Azure: a path without a version',
    'CR',
    404,
    { error: { code: '404', message: 'Resource not found' } },
    {
      reason: 'not_found',
      says: /Resource not found.*The request went to/,
    },
  ),
  told(
    'Q44',
    'Azure: the prompt is filtered',
    'CR',
    400,
    {
      error: {
        code: 'content_filter',
        message: 'The response was filtered.',
        innererror: { code: 'ResponsibleAIPolicyViolation' },
      },
    },
    { reason: 'invalid_request', says: /filtered/ },
  ),
  {
    id: 'Q45',
    title: 'a first chunk with a role and no content',
    protocols: only('C'),
    script: [
      answer(
        raw({
          id: 'c',
          model: 'm',
          choices: [{ index: 0, delta: { role: 'assistant', content: null }, finish_reason: null }],
        }),
        text('fine'),
        finish(),
      ),
    ],
    expected: { text: 'fine', requests: 1 },
  },
  {
    id: 'Q46',
    title: 'the content of a result is a text',
    protocols: only('CO'),
    scene: { access: { models: { m: { images: true } } } },
    script: [answer(call('look'), finish()), OK],
    expected: { text: 'fine', requests: 2 },
    check({ protocol, requests }) {
      for (const { text: words } of sentIn(protocol, requests()[1]!).results) expect(words).toBeTypeOf('string');
    },
  },
  ...PROVIDERS.filter(({ protocol }) => protocol === 'chat').map(({ id, name, quirks = {} }): FaultCase => ({
    id: 'Q48',
    title: `${name} (${id}) gets its instructions as the system`,
    protocols: only('C'),
    scene: { access: { quirks }, server: { strict: false } },
    script: [READ, OK],
    expected: { text: 'fine', requests: 2 },
    check: ({ requests }) => expect(requests()[0]!.body.messages[0].role).toBe('system'),
  })),
  {
    id: 'Q47',
    title: '422 naming a field that is not known',
    protocols: only('C'),
    script: [fault(422, { message: 'Extra inputs are not permitted: stream_options' }), OK],
    expected: { text: 'fine', requests: 2, retries: 0 },
    check: ({ requests }) => expect(requests()[1]!.body).not.toHaveProperty('stream_options'),
  },
  {
    id: 'Q47',
    title: '400 naming a field of Responses that is not known',
    protocols: only('R'),
    scene: { access: { models: { m: { thinking: 'effort' } } } },
    script: [fault(400, { message: "Unsupported parameter: 'include' is not supported with this model." }), OK, OK],
    prompts: ['one', 'two'],
    expected: { text: 'fine', requests: 3, retries: 0 },
    check: ({ requests }) => {
      for (const { body } of requests().slice(1)) expect(body).not.toHaveProperty('include');
    },
  },
];
