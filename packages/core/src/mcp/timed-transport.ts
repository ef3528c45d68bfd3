/** TimedTransport: a transport that measures each request until its answer, and keeps both. For `castor mcp test`. */

import type { Clock } from '../util/clock.ts';
import { isRecord } from '../util/is-record.ts';
import type { JsonRpcMessage, RpcTransport } from './rpc-session.ts';

export interface TimedStep {
  /** `start`, or the method of a request. */
  name: string;
  /** Whether it asks for a further page of a list. */
  isFurtherPage?: boolean;
  /** Undefined without an answer. */
  ms?: number;
  result?: unknown;
  error?: unknown;
}

export class TimedTransport implements RpcTransport {
  private readonly inner: RpcTransport;
  private readonly clock: Clock;
  private readonly steps: TimedStep[];
  private readonly open = new Map<unknown, { step: TimedStep; since: number }>();

  /** Appends to `steps`. */
  constructor(inner: RpcTransport, clock: Clock, steps: TimedStep[]) {
    this.inner = inner;
    this.clock = clock;
    this.steps = steps;
  }

  set onmessage(handler: RpcTransport['onmessage']) {
    this.inner.onmessage = (message) => {
      this.receive(message);
      handler?.(message);
    };
  }

  set onclose(handler: RpcTransport['onclose']) {
    this.inner.onclose = (reason) => handler?.(reason);
  }

  set onerror(handler: RpcTransport['onerror']) {
    this.inner.onerror = (error) => handler?.(error);
  }

  async start(): Promise<void> {
    const since = this.clock.now();
    await this.inner.start();
    this.steps.push({ name: 'start', ms: this.clock.now() - since });
  }

  async send(message: JsonRpcMessage): Promise<void> {
    const { id, method } = message;
    if (id !== undefined && typeof method === 'string') {
      const { params } = message;
      const step: TimedStep = { name: method, isFurtherPage: isRecord(params) && params['cursor'] !== undefined };
      this.steps.push(step);
      this.open.set(id, { step, since: this.clock.now() });
    }
    await this.inner.send(message);
  }

  forget(id: number): void {
    this.inner.forget?.(id);
  }

  setProtocolVersion(version: string): void {
    this.inner.setProtocolVersion?.(version);
  }

  close(): Promise<void> {
    return this.inner.close();
  }

  private receive(message: unknown): void {
    if (!isRecord(message) || 'method' in message) return;
    const found = this.open.get(message['id']);
    if (!found) return;
    this.open.delete(message['id']);
    found.step.ms = this.clock.now() - found.since;
    if ('error' in message) found.step.error = message['error'];
    else found.step.result = message['result'];
  }
}
