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
      const isRequest = isRecord(message) && typeof message['method'] === 'string' && 'id' in message;
      if (isRequest && message['method'] === 'initialize') this.initialize(message);
      else if (this.isAnswered) yield message;
      else if (isRequest)
        this.reply(message['id'], { error: { code: INVALID_REQUEST, message: 'Send initialize first.' } });
      else if (!isRecord(message) || !('method' in message))
        this.reply(null, { error: { code: INVALID_REQUEST, message: 'Invalid request' } });
    }
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
