/** Writes the requests of A2A: two versions, each as JSON-RPC or as HTTP+JSON. Pure. */

import type { RemoteInterface } from './agent-card.ts';

export interface MessageToSend {
  readonly id: string;
  readonly text: string;
  /** Of the conversation so far. */
  readonly contextId?: string | undefined;
  /** The task that waits for this message. */
  readonly taskId?: string | undefined;
}

export type A2aCall =
  | { readonly kind: 'send' | 'stream'; readonly message: MessageToSend }
  | { readonly kind: 'get' | 'cancel'; readonly taskId: string };

export interface A2aRequest {
  readonly method: 'GET' | 'POST';
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

const METHODS = {
  '0.3': { send: 'message/send', stream: 'message/stream', get: 'tasks/get', cancel: 'tasks/cancel' },
  '1': { send: 'SendMessage', stream: 'SendStreamingMessage', get: 'GetTask', cancel: 'CancelTask' },
} as const;
const OUTPUT_MODES = ['text/plain', 'text/markdown', 'application/json'];

export function toRequest(at: RemoteInterface, call: A2aCall): A2aRequest {
  const { binding, version, url, tenant } = at;
  const headers = {
    accept: call.kind === 'stream' ? 'text/event-stream' : 'application/json',
    ...(version === '1' && { 'a2a-version': '1.0' }),
  };
  const sends = { ...headers, 'content-type': 'application/json' };
  if (binding === 'JSONRPC') {
    const params = { ...toParams(at, call), ...(tenant !== undefined && { tenant }) };
    const body = { jsonrpc: '2.0', id: 1, method: METHODS[version][call.kind], params };
    return { method: 'POST', url, headers: sends, body: JSON.stringify(body) };
  }
  const path = `${version === '0.3' ? '/v1' : tenant === undefined ? '' : `/${encodeURIComponent(tenant)}`}${pathOf(call)}`;
  const target = new URL(`${url.origin}${url.pathname.replace(/\/$/, '')}${path}${url.search}`);
  if (call.kind === 'get') return { method: 'GET', url: target, headers };
  const body = call.kind === 'cancel' ? {} : toParams(at, call);
  return { method: 'POST', url: target, headers: sends, body: JSON.stringify(body) };
}

function pathOf(call: A2aCall): string {
  switch (call.kind) {
    case 'send':
    case 'stream':
      return `/message:${call.kind}`;
    case 'get':
      return `/tasks/${encodeURIComponent(call.taskId)}`;
    case 'cancel':
      return `/tasks/${encodeURIComponent(call.taskId)}:cancel`;
  }
}

function toParams({ version, binding }: RemoteInterface, call: A2aCall): Record<string, unknown> {
  if (!('message' in call)) return { id: call.taskId };
  const { id: messageId, text, contextId, taskId } = call.message;
  const ids = { messageId, ...(contextId !== undefined && { contextId }), ...(taskId !== undefined && { taskId }) };
  // A server that answers at once names the task, so that a cancelled call can cancel it.
  const atOnce = version === '0.3' ? { blocking: false } : { returnImmediately: true };
  const configuration = { acceptedOutputModes: OUTPUT_MODES, ...(call.kind === 'send' && atOnce) };
  if (version === '1') return { message: { ...ids, role: 'ROLE_USER', parts: [{ text }] }, configuration };
  // The HTTP form of 0.3 is that of its gRPC messages.
  if (binding === 'HTTP+JSON') return { message: { ...ids, role: 'ROLE_USER', content: [{ text }] }, configuration };
  return { message: { kind: 'message', ...ids, role: 'user', parts: [{ kind: 'text', text }] }, configuration };
}
