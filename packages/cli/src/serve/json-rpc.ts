/** Parses and builds the messages of JSON-RPC 2.0. Pure: what a client sent is data, and anything may be wrong with it. */

import { isRecord } from '@castor/core/program';

export type RequestId = string | number;

export type RpcMessage = Readonly<Record<string, unknown>>;

export const RpcCode = {
  ParseError: -32_700,
  InvalidRequest: -32_600,
  MethodNotFound: -32_601,
  InvalidParams: -32_602,
  InternalError: -32_603,
} as const;

export type ReadMessage =
  | { kind: 'request'; id: RequestId; method: string; params: RpcMessage }
  | { kind: 'notification'; method: string; params: RpcMessage }
  | { kind: 'answer'; id: unknown; result: RpcMessage | undefined }
  /** `reply` is the error to send back. */
  | { kind: 'invalid'; reply: RpcMessage };

export function readMessage(message: unknown): ReadMessage {
  if (!isRecord(message)) return invalid(null, 'A message must be one JSON object; batches are not supported.');
  const { id, method, params, result } = message;
  if (typeof method !== 'string') {
    if ('result' in message || 'error' in message)
      return { kind: 'answer', id, result: isRecord(result) ? result : undefined };
    return invalid(isId(id) ? id : null, 'A message needs a "method", a "result" or an "error".');
  }
  if (params !== undefined && !isRecord(params)) return invalid(isId(id) ? id : null, '"params" must be an object.');
  const given = params ?? {};
  if (!('id' in message)) return { kind: 'notification', method, params: given };
  if (!isId(id)) return invalid(null, '"id" must be a string or a number.');
  return { kind: 'request', id, method, params: given };
}

/** Text of a client as a message; one that is not JSON gets the error of the protocol. */
export function parseMessage(text: string): ReadMessage {
  let message: unknown;
  try {
    message = JSON.parse(text);
  } catch {
    return { kind: 'invalid', reply: errorOf(null, RpcCode.ParseError, 'The message is not valid JSON.') };
  }
  return readMessage(message);
}

export function resultOf(id: RequestId, result: RpcMessage): RpcMessage {
  return { jsonrpc: '2.0', id, result };
}

export function errorOf(id: RequestId | null, code: number, message: string): RpcMessage {
  return { jsonrpc: '2.0', id, error: { code, message } };
}

function isId(id: unknown): id is RequestId {
  return typeof id === 'string' || (typeof id === 'number' && Number.isFinite(id));
}

function invalid(id: RequestId | null, message: string): ReadMessage {
  return { kind: 'invalid', reply: errorOf(id, RpcCode.InvalidRequest, message) };
}
