/**
 * Greeting: answers `initialize` by itself, before the library of the protocol is loaded, and lets no other request pass
 * before it.
 */

import type { ClientCapabilities, InitializeRequest } from '@agentclientprotocol/sdk';
import { isRecord } from '@castor/core/program';
import { describeAgent } from './initialize.ts';

const INVALID_REQUEST = -32_600;
const INVALID_PARAMS = -32_602;

export class Greeting {
  /** What the editor offers. */
  readonly answered: Promise<ClientCapabilities>;
  private readonly source: AsyncIterable<unknown>;
  private readonly send: (message: unknown) => Promise<void> | undefined;
  private readonly version: string;
  private readonly answer = Promise.withResolvers<ClientCapabilities>();
  private isAnswered = false;

  constructor(source: AsyncIterable<unknown>, send: Greeting['send'], version: string) {
    this.source = source;
    this.send = send;
    this.version = version;
    this.answered = this.answer.promise;
  }

  /** All other messages, once the editor has been answered. */
  async *messages(): AsyncGenerator<unknown> {
    for await (const message of this.source) {
      const request = isRecord(message) && typeof message['method'] === 'string' && 'id' in message && message;
      if (request && request['jsonrpc'] !== '2.0') this.refuse(request['id'], 'jsonrpc must be "2.0".');
      else if (request && request['method'] === 'initialize') this.initialize(request);
      else if (this.isAnswered) yield withVersion(message);
      else if (request) this.refuse(request['id'], 'Send initialize first.');
      else if (!isRecord(message) || !('method' in message)) this.refuse(null, 'Invalid request');
    }
  }

  private refuse(id: unknown, message: string): void {
    this.reply(id, { error: { code: INVALID_REQUEST, message } });
  }

  private initialize({ id, params }: Record<string, unknown>): void {
    if (!isRecord(params) || typeof params['protocolVersion'] !== 'number') {
      const message = 'initialize needs protocolVersion, a number.';
      return this.reply(id, { error: { code: INVALID_PARAMS, message } });
    }
    const capabilities = isRecord(params['clientCapabilities']) ? params['clientCapabilities'] : {};
    const request = { ...params, clientCapabilities: capabilities } as unknown as InitializeRequest;
    this.reply(id, { result: describeAgent(request, this.version) });
    this.isAnswered = true;
    this.answer.resolve(capabilities);
  }

  private reply(id: unknown, answer: object): void {
    void this.send({ jsonrpc: '2.0', id, ...answer });
  }
}

/** An answer without a version is still the answer that a call waits for. */
function withVersion(message: unknown): unknown {
  const isAnswer = isRecord(message) && 'id' in message && ('result' in message || 'error' in message);
  return isAnswer && !('method' in message) ? { ...message, jsonrpc: '2.0' } : message;
}
