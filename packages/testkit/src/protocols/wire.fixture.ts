/** Asks a fake model over real HTTP and reads the frames of its answer, for tests of the protocols. */

import type { ModelRequest } from '../answer.ts';
import { exchange } from '../raw-client.ts';
import type { RawAnswer } from '../raw-client.ts';

/** Arbitrary JSON, as in the record of a request. */
export type Frame = Record<string, ModelRequest['body']>;

export interface WireAnswer extends RawAnswer {
  /** The JSON of each event or line; a string for `[DONE]`. */
  readonly frames: readonly Frame[];
  /** The `event:` names, in order. */
  readonly events: readonly string[];
  readonly json: Frame;
}

const HELLO = { role: 'user', content: 'hello' };

/** A legal question in each protocol. */
export const QUESTIONS = {
  chat: { path: '/v1/chat/completions', body: { model: 'gpt-4.1', stream: true, messages: [HELLO] } },
  responses: { path: '/v1/responses', body: { model: 'gpt-5.2', stream: true, store: false, input: [HELLO] } },
  anthropic: {
    path: '/v1/messages',
    body: { model: 'claude-opus-4-6', stream: true, max_tokens: 4096, messages: [HELLO] },
  },
  ollama: { path: '/api/chat', body: { model: 'qwen3-coder:30b', messages: [HELLO] } },
} as const;

export type WireName = keyof typeof QUESTIONS;
export const WIRE_NAMES = Object.keys(QUESTIONS) as readonly WireName[];

const HEADERS = { authorization: 'Bearer key', 'anthropic-version': '2023-06-01' };

/** Sends the protocol's question with these fields changed. */
export async function ask(
  url: string,
  name: WireName,
  more: object = {},
  request: { path?: string; headers?: Record<string, string>; method?: string } = {},
): Promise<WireAnswer> {
  const { path, body } = QUESTIONS[name];
  const met = await exchange(url, { path, headers: HEADERS, body: { ...body, ...more }, ...request });
  const isLines = met.headers['content-type'] === 'application/x-ndjson';
  const data = isLines
    ? met.body.split('\n').filter((line) => line !== '')
    : [...met.body.matchAll(/^data: ?(.*)$/gm)].map(([, line]) => line!);
  const events = [...met.body.matchAll(/^event: (.*)$/gm)].map(([, event]) => event!);
  return {
    ...met,
    frames: met.status === 200 ? data.map(parse) : [],
    events,
    get json() {
      return JSON.parse(met.body) as Frame;
    },
  };
}

function parse(text: string): Frame {
  try {
    return JSON.parse(text) as Frame;
  } catch {
    return { unparsed: text };
  }
}
