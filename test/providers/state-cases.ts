/** Rows of the fault table: reasoning and other state that must come back, and where it may not (T12–T19, T21–T23). */

import { answer, call, dialect, fault, finish, say, text, thought, together } from '@castor/testkit';
import type { FramePiece, Step } from '@castor/testkit';
import { expect } from 'vitest';
import { PROVIDERS } from '../../packages/core/src/provider/providers.ts';
import { only } from './fault-case.fixture.ts';
import type { FaultCase } from './fault-case.fixture.ts';

const DONE = say('done');
const THINKS = { models: { m: { contextWindow: 128_000, thinking: 'effort' as const } } };
const quirksOf = (id: string) => PROVIDERS.find((row) => row.id === id)?.quirks ?? {};
const read = (path: string, id: string, ...before: FramePiece[]) =>
  answer(...before, call('read_file', { path }, { id }), finish());
const messages = (body: { messages: Record<string, unknown>[] }, role: string) =>
  body.messages.filter((message) => message['role'] === role);

/** A loop of three calls, each after reasoning of its own. */
const THREE_STEPS: readonly Step[] = [
  read('a', 'call_1', thought('I begin with a.', { signature: 'sig-a' })),
  read('b', 'call_2', thought('Then b.', { signature: 'sig-b' }), text('Now b.')),
  read('c', 'call_3'),
  DONE,
  say('and more'),
];

const signedLoop = (title: string, protocols: string, scene: FaultCase['scene'] = {}): FaultCase => ({
  id: 'T24',
  title,
  protocols: only(protocols),
  scene,
  script: THREE_STEPS,
  prompts: ['go', 'go on'],
  expected: { text: 'and more', requests: 5, retries: 0 },
});

export const STATE_CASES: readonly FaultCase[] = [
  signedLoop('reasoning of three steps and a further prompt', 'GCRAO', { access: THINKS }),
  signedLoop('the same from llama.cpp', 'C', {
    server: { vendor: 'llamacpp' },
    access: { quirks: quirksOf('llamacpp'), ...THINKS },
  }),
  signedLoop('the same from vLLM', 'C', {
    server: { vendor: 'vllm' },
    access: { quirks: quirksOf('vllm'), ...THINKS },
  }),
  signedLoop('Q37: the same from Mistral', 'C', {
    server: { vendor: 'mistral' },
    access: { quirks: quirksOf('mistral'), ...THINKS },
  }),
  signedLoop('the same from Groq', 'C', {
    server: { vendor: 'groq' },
    access: { quirks: quirksOf('groq'), ...THINKS },
  }),
  signedLoop('the same from xAI', 'C', { server: { vendor: 'xai' }, access: { quirks: quirksOf('xai'), ...THINKS } }),
  signedLoop('the same from OpenAI', 'CR', {
    server: { vendor: 'openai' },
    access: { quirks: quirksOf('openai'), cacheKey: 'k', ...THINKS },
  }),
  signedLoop('the same from Azure', 'CR', {
    server: { vendor: 'azure', quirks: { emptyFirstChoices: true } },
    access: { quirks: quirksOf('azure'), cacheKey: 'k', ...THINKS },
  }),
  {
    id: 'T12',
    title: 'thinking, redacted thinking, text and calls interleaved',
    protocols: only('A'),
    script: [
      answer(
        thought('First.', { signature: 's1' }),
        text('I read.'),
        thought('', { redacted: 'opaque-1' }),
        call('read_file', { path: 'a' }, { id: 'toolu_1' }),
        thought('Second.', { signature: 's2' }),
        call('read_file', { path: 'b' }, { id: 'toolu_2' }),
        finish(),
      ),
      DONE,
    ],
    expected: { text: 'I read.done', requests: 2, retries: 0 },
    check({ requests }, { thoughts }) {
      expect(thoughts).toContain('First.');
      expect(requests()[1]!.body.messages[1].content).toEqual([
        { type: 'thinking', thinking: 'First.', signature: 's1' },
        { type: 'text', text: 'I read.' },
        { type: 'redacted_thinking', data: 'opaque-1' },
        { type: 'tool_use', id: 'toolu_1', name: 'read_file', input: { path: 'a' } },
        { type: 'thinking', thinking: 'Second.', signature: 's2' },
        { type: 'tool_use', id: 'toolu_2', name: 'read_file', input: { path: 'b' } },
      ]);
    },
  },
  {
    id: 'T13',
    title: 'thinking that is omitted, with its signature',
    protocols: only('A'),
    scene: { server: { quirks: { thinking: 'omitted' } } },
    script: [read('a', 'toolu_1', thought('hidden', { signature: 's1' })), DONE],
    expected: { text: 'done', thoughts: '', requests: 2, retries: 0 },
    check: ({ requests }) =>
      expect(requests()[1]!.body.messages[1].content[0]).toEqual({ type: 'thinking', thinking: '', signature: 's1' }),
  },
  {
    id: 'T14',
    title: 'Q49: a lone surrogate inside signed thinking',
    protocols: only('A'),
    script: [read('a', 'toolu_1', thought('odd \ud83d here', { signature: 's1' }), text('odd \ud83d text')), DONE],
    expected: { requests: 2, retries: 0 },
    check({ requests }) {
      const [thinking, words] = requests()[1]!.body.messages[1].content;
      expect([thinking.thinking, words.text]).toEqual(['odd \ud83d here', 'odd \ud83d text']);
    },
  },
  {
    id: 'T15',
    title: 'encrypted reasoning, then a call',
    protocols: only('R'),
    scene: { access: THINKS },
    script: [read('a', 'call_1', thought('I look.', { signature: 'enc-1' })), DONE],
    expected: { text: 'done', requests: 2, retries: 0 },
    check({ requests }, { thoughts }) {
      expect(thoughts).toContain('I look.');
      const { body } = requests()[1]!;
      expect(body).toMatchObject({ store: false, include: ['reasoning.encrypted_content'] });
      expect(body.input.slice(1)).toEqual([
        expect.objectContaining({ type: 'reasoning', encrypted_content: 'enc-1', id: expect.stringMatching(/^rs_/) }),
        expect.objectContaining({ type: 'function_call', call_id: 'call_1', id: expect.stringMatching(/^fc_/) }),
        expect.objectContaining({ type: 'function_call_output', call_id: 'call_1' }),
      ]);
    },
  },
  {
    id: 'T16',
    title: 'a message with a phase',
    protocols: only('R'),
    scene: { server: { quirks: { phase: 'commentary' } } },
    script: [read('a', 'call_1', text('I read.')), DONE],
    expected: { text: 'I read.done', requests: 2 },
    check: ({ requests }) =>
      expect(requests()[1]!.body.input[1]).toMatchObject({ type: 'message', role: 'assistant', phase: 'commentary' }),
  },
  {
    id: 'T17',
    title: 'Q38: DeepSeek wants its reasoning on every message',
    protocols: only('C'),
    scene: { server: { vendor: 'deepseek' }, access: { quirks: quirksOf('deepseek'), ...THINKS } },
    script: THREE_STEPS,
    prompts: ['go', 'go on'],
    expected: { text: 'and more', requests: 5, retries: 0 },
    check: ({ requests }) =>
      expect(messages(requests()[4]!.body, 'assistant').map((message) => message['reasoning_content'])).toEqual([
        'I begin with a.',
        'Then b.',
        '',
        '',
      ]),
  },
  {
    id: 'T18',
    title: 'OpenRouter’s details in pieces',
    protocols: only('C'),
    scene: { server: { vendor: 'openrouter' }, access: { quirks: quirksOf('openrouter'), ...THINKS } },
    script: [
      read(
        'a',
        'call_1',
        thought('I be'),
        thought('gin', { signature: 'sig' }),
        thought('', { redacted: 'opaque' }),
        text('Look.'),
      ),
      DONE,
    ],
    expected: { text: 'Look.done', requests: 2, retries: 0 },
    check({ requests }, { thoughts }) {
      expect(thoughts).toBe('I begin');
      expect(messages(requests()[1]!.body, 'assistant')[0]).toMatchObject({
        reasoning_details: [
          { type: 'reasoning.text', text: 'I begin', signature: 'sig' },
          { type: 'reasoning.encrypted', data: 'opaque' },
        ],
      });
    },
  },
  {
    id: 'T19',
    title: 'Q39: Gemini’s signature on the first of two calls',
    protocols: only('C'),
    scene: { server: { vendor: 'google' }, access: { quirks: { extraContent: true } } },
    script: [
      answer(
        together(
          call('read_file', { path: 'a' }, { id: 'c1', signature: 'sig-1' }),
          call('read_file', { path: 'b' }, { id: 'c2' }),
        ),
        finish(),
      ),
      DONE,
    ],
    expected: { text: 'done', requests: 2, retries: 0 },
    check({ requests }) {
      const [first, second] = messages(requests()[1]!.body, 'assistant')[0]!['tool_calls'] as object[];
      expect(first).toMatchObject({ extra_content: { google: { thought_signature: 'sig-1' } } });
      expect(second).not.toHaveProperty('extra_content');
    },
  },
  {
    id: 'T22',
    title: '400 about a signature: once more without thinking',
    protocols: only('A'),
    script: [
      read('a', 'toolu_1', thought('First.', { signature: 's1' })),
      fault(400, { message: 'messages.1.content.0: Invalid `signature` in `thinking` block' }),
      DONE,
      say('later'),
    ],
    prompts: ['go', 'go on'],
    expected: { text: 'later', requests: 4, retries: 0, notices: [] },
    check({ requests }, _last, [first]) {
      expect(first!.notices).toEqual([expect.stringMatching(/could not verify earlier reasoning/)]);
      expect(JSON.stringify(requests()[1]!.body)).toContain('"thinking":"First."');
      for (const { body } of requests().slice(2)) expect(JSON.stringify(body.messages)).not.toContain('First.');
    },
  },
  {
    id: 'T22',
    title: 'the same 400 twice is an error',
    protocols: only('A'),
    script: [
      read('a', 'toolu_1', thought('First.', { signature: 's1' })),
      fault(400, { message: 'Invalid `signature` in `thinking` block' }),
      fault(400, { message: 'Invalid `signature` in `thinking` block' }),
    ],
    expected: { outcome: 'failed', reason: 'invalid_request', requests: 3 },
  },
  {
    id: 'T23',
    title: '400 about encrypted reasoning: once more without state',
    protocols: only('R'),
    scene: { access: THINKS },
    script: [
      read('a', 'call_1', thought('I look.', { signature: 'enc-1' })),
      fault(400, { message: 'The encrypted content for item rs_1 could not be verified.' }),
      DONE,
      say('later'),
    ],
    prompts: ['go', 'go on'],
    expected: { text: 'later', requests: 4, retries: 0, notices: [] },
    check({ requests }, _last, [first]) {
      expect(first!.notices).toEqual([expect.stringMatching(/could not verify earlier reasoning/)]);
      for (const { body } of requests().slice(2)) expect(JSON.stringify(body.input)).not.toMatch(/enc-1|fc_|rs_/);
    },
  },
  {
    id: 'Q17',
    title: 'the same reasoning in two fields is shown once',
    protocols: only('C'),
    script: [dialect(answer(thought('I think'), text('fine'), finish()), { quirks: { reasoning: 'both' } })],
    expected: { text: 'fine', thoughts: 'I think' },
  },
];
