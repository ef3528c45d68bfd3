/** Constructors for rules and actions of an MCP script; each returns plain JSON. */

import type { AnswerChanges, JsonObject, McpAction, McpOffer, McpRule } from './script.ts';

type RuleLimits = Pick<McpRule, 'name' | 'nth' | 'start'>;

/** A rule: `on('tools/call', [crash()], { nth: 2 })`. */
export function on(what: string, actions: readonly McpAction[], limits: RuleLimits = {}): McpRule {
  return { on: what, do: actions, ...limits };
}

/** The honest answer, or one that deviates from it. */
export const answer = (changes: AnswerChanges = {}): McpAction => ({ do: 'answer', ...changes });

/** A JSON-RPC error instead of a result. */
export const failure = (code: number, message: string, data?: unknown): McpAction =>
  answer({ error: { code, message, ...(data !== undefined && { data }) } });

/** Any message, verbatim: an answer to an unknown id, a request without a method. */
export const send = (message: unknown): McpAction => ({ do: 'send', message });

export const notify = (method: string, params?: JsonObject): McpAction => ({
  do: 'notify',
  method,
  ...(params && { params }),
});

/** A request to the client; what follows waits for its answer unless `isAwaited` is false. */
export const request = (method: string, params?: JsonObject, options: { isAwaited?: boolean } = {}): McpAction => ({
  do: 'request',
  method,
  ...(params && { params }),
  ...options,
});

/** Progress of the call being played, if its client has sent a token; `more` is the total, the message, another token. */
export const progress = (value: number, more: JsonObject = {}): McpAction => ({
  do: 'progress',
  progress: value,
  more,
});

/** Characters on stdout or in the body of the response, verbatim. */
export const raw = (text: string, repeat = 1): McpAction => ({ do: 'raw', text, repeat });

/** Bytes on stdout or in the body of the response that need not be text. */
export const rawBytes = (bytes: Uint8Array): McpAction => ({
  do: 'raw',
  text: Buffer.from(bytes).toString('base64'),
  encoding: 'base64',
});

export const stderr = (text: string, repeat = 1): McpAction => ({ do: 'stderr', text, repeat });

/** Holds what follows until the test calls `release(name)`. */
export const gate = (name: string): McpAction => ({ do: 'gate', name });

/** For a bench or a server that a user starts; a test takes a gate. */
export const delay = (milliseconds: number): McpAction => ({ do: 'delay', milliseconds });

/** Waits until the client cancels the request being played. */
export const untilCancelled = (): McpAction => ({ do: 'cancelled' });

export const change = (offer: McpOffer): McpAction => ({ do: 'change', change: offer });

/** The process ends, with this code (default 1) or by this signal. Over HTTP every connection is reset. */
export const crash = (how: { code?: number; signal?: string } = {}): McpAction => ({ do: 'crash', ...how });

export const closeStream = (stream: 'stdin' | 'stdout'): McpAction => ({ do: 'close', stream });

/** A process below the server that inherits its pipes; detached it has a process group of its own. */
export const grandchild = (options: { isDetached?: boolean; ignores?: readonly string[] } = {}): McpAction => ({
  do: 'grandchild',
  ...options,
});

/** Over HTTP: this status instead of the answer. */
export const status = (code: number, more: { headers?: Record<string, string>; body?: string } = {}): McpAction => ({
  do: 'status',
  status: code,
  ...more,
});

/** Over HTTP: resets the connection. */
export const reset = (): McpAction => ({ do: 'reset' });

/** Over HTTP: ends the stream of this response; a later answer waits for a resumed stream. */
export const drop = (): McpAction => ({ do: 'drop' });

/** Over HTTP: forgets the session, so that its next request is answered with 404. */
export const forget = (): McpAction => ({ do: 'forget' });

/** In a rule on `GET /path`: the server goes on as if there were no rule. */
export const pass = (): McpAction => ({ do: 'pass' });
