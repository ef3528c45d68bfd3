/**
 * One MCP session of a scripted server, over any transport: it reads messages, plays the rule each one meets or answers
 * honestly, and records both directions and what the client did wrong.
 */

import { setTimeout as sleep } from 'node:timers/promises';
import { isObject } from '../json-object.ts';
import type { Exchange, Host } from './exchange.ts';
import type { Offer } from './honest-answers.ts';
import { isMessage } from './record.ts';
import type { McpEntry, McpMessage } from './record.ts';
import { INTERNAL_ERROR, INVALID_REQUEST, RpcError } from './rpc-error.ts';
import type { RuleBook } from './rule-book.ts';
import type { AnswerChanges, McpAction, McpTool } from './script.ts';

/** A message whose actions are being played. */
interface Playing {
  readonly message: McpMessage;
  readonly exchange: Exchange;
  readonly cancelled: PromiseWithResolvers<void>;
  isCancelled: boolean;
  /** The client's answer to the latest request of these actions. */
  lastAnswer: unknown;
  /** The tool as it was when its call arrived: its own actions may remove it. */
  tool?: McpTool | undefined;
}

interface SessionPorts {
  readonly offer: Offer;
  readonly rules: RuleBook;
  readonly host: Host;
  note(entry: McpEntry): void;
}

const HONEST: readonly McpAction[] = [{ do: 'answer' }];

export class McpSession {
  /** The version that `initialize` answered with. */
  version: string | undefined;
  private readonly ports: SessionPorts;
  private readonly playing = new Map<unknown, Playing>();
  private readonly waiting = new Map<string, (answer: McpMessage) => void>();
  private readonly usedIds = new Set<unknown>();
  private state: 'new' | 'initializing' | 'ready' = 'new';
  private requests = 0;

  constructor(ports: SessionPorts) {
    this.ports = ports;
  }

  /** Plays actions that no message led to: those of a start, or of the test itself. */
  async play(actions: readonly McpAction[], exchange: Exchange): Promise<void> {
    await this.run(
      { message: {}, exchange, cancelled: Promise.withResolvers(), isCancelled: false, lastAnswer: undefined },
      actions,
    );
  }

  /** Takes one message; resolves when its actions are played. */
  async receive(message: unknown, exchange: Exchange): Promise<void> {
    if (!isMessage(message)) {
      this.ports.note({ event: 'invalid', text: JSON.stringify(message) });
      this.violate('a message is no JSON-RPC 2.0 message');
      return;
    }
    this.ports.note({ event: 'received', message });
    if (typeof message.method !== 'string') return this.takeAnswer(message);
    this.judge(message, message.method);
    this.follow(message, message.method);
    const names = [message.params?.['name'], message.params?.['uri']];
    const actions = this.ports.rules.match({ on: message.method, names, isMessage: true });
    // A notification has no answer; only its rule acts.
    if (message.id === undefined && !actions) return;
    await this.playMessage(
      { message, exchange, cancelled: Promise.withResolvers(), isCancelled: false, lastAnswer: undefined },
      actions ?? HONEST,
    );
  }

  private async playMessage(playing: Playing, actions: readonly McpAction[]): Promise<void> {
    const { message } = playing;
    if (message.id !== undefined) this.playing.set(message.id, playing);
    try {
      if (message.method === 'tools/call') playing.tool = this.ports.offer.tool(message.params?.['name']);
      await this.run(playing, actions === HONEST ? [...(playing.tool?.run ?? []), ...HONEST] : actions);
    } finally {
      if (this.playing.get(message.id) === playing) this.playing.delete(message.id);
    }
  }

  private async run(playing: Playing, actions: readonly McpAction[]): Promise<void> {
    for (const action of actions) {
      try {
        await this.act(action, playing);
      } catch (error) {
        this.ports.note({ event: 'failure', error: String(error) });
        return;
      }
    }
  }

  private async act(action: McpAction, playing: Playing): Promise<void> {
    const { exchange } = playing;
    const { host } = this.ports;
    switch (action.do) {
      case 'answer':
        return this.answer(playing, action);
      case 'send':
        return this.write(exchange, action.message);
      case 'notify':
        return this.write(exchange, {
          jsonrpc: '2.0',
          method: action.method,
          ...(action.params && { params: action.params }),
        });
      case 'request':
        return this.request(playing, action);
      case 'progress':
        return this.progress(playing, action);
      case 'raw':
        return exchange.raw(repeated(action.text, action.repeat, action.encoding));
      case 'stderr':
        return host.stderr(action.text.repeat(action.repeat ?? 1));
      case 'gate':
        this.ports.note({ event: 'gate', name: action.name });
        await Promise.race([host.pass(action.name), playing.cancelled.promise]);
        return;
      case 'delay':
        await Promise.race([sleep(action.milliseconds), playing.cancelled.promise]);
        return;
      case 'cancelled':
        return playing.cancelled.promise;
      case 'change':
        return this.ports.offer.change(action.change);
      case 'crash':
        return host.crash(action);
      case 'close':
        return offered(host.close, 'close')(action.stream);
      case 'grandchild':
        return offered(host.grandchild, 'grandchild')(action);
      case 'status':
        return offered(exchange.status, 'status')(action);
      case 'reset':
        return offered(exchange.reset, 'reset')();
      case 'drop':
        return offered(exchange.drop, 'drop')();
      case 'forget':
        return offered(exchange.forget, 'forget')();
      case 'pass':
        return;
    }
  }

  private async answer(playing: Playing, changes: AnswerChanges): Promise<void> {
    const { message, exchange, isCancelled } = playing;
    if (message.id === undefined || (isCancelled && !changes.isLate)) return;
    const answer = {
      jsonrpc: '2.0',
      id: changes.id === undefined ? message.id : changes.id,
      ...this.outcome(playing, changes),
    };
    this.ports.note({
      event: 'sent',
      message: changes.padding === undefined ? answer : { ...answer, result: 'padded' },
    });
    const { pieces, isHalf, lineEnd } = changes;
    const text = (changes.prefix ?? '') + JSON.stringify(answer) + (changes.suffix ?? '');
    await exchange.write(text, {
      isAnswer: true,
      ...(pieces !== undefined && { pieces }),
      ...(isHalf !== undefined && { isHalf }),
      ...(lineEnd !== undefined && { lineEnd }),
    });
  }

  private outcome(
    playing: Playing,
    { result, error, padding }: AnswerChanges,
  ): { result: unknown } | { error: unknown } {
    if (error) return { error };
    const honest = result === undefined ? this.honest(playing) : { result };
    if (padding === undefined || !('result' in honest) || !isObject(honest.result)) return honest;
    return { result: { ...honest.result, _meta: { padding: 'x'.repeat(padding) } } };
  }

  private honest({ message, lastAnswer, tool }: Playing): { result: unknown } | { error: unknown } {
    try {
      if (this.state === 'new' && message.method !== 'ping')
        throw new RpcError(INVALID_REQUEST, 'Server not initialized');
      const result = this.ports.offer.answer(String(message.method), message.params ?? {}, { lastAnswer, tool });
      return { result };
    } catch (error) {
      if (!(error instanceof RpcError)) return { error: { code: INTERNAL_ERROR, message: String(error) } };
      return {
        error: { code: error.code, message: error.message, ...(error.data !== undefined && { data: error.data }) },
      };
    }
  }

  private write(exchange: Exchange, message: unknown): Promise<void> | void {
    this.ports.note({ event: 'sent', message });
    return exchange.write(JSON.stringify(message), { isAnswer: false });
  }

  private async request(
    playing: Playing,
    { method, params, isAwaited = true }: Extract<McpAction, { do: 'request' }>,
  ): Promise<void> {
    this.requests++;
    const id = `server-${this.requests}`;
    const answered = new Promise<McpMessage>((resolve) => this.waiting.set(id, resolve));
    await this.write(playing.exchange, { jsonrpc: '2.0', id, method, ...(params && { params }) });
    if (!isAwaited) return;
    const answer = await Promise.race([answered, playing.cancelled.promise]);
    if (answer) playing.lastAnswer = answer.error === undefined ? answer.result : { error: answer.error };
  }

  private progress(
    { message, exchange }: Playing,
    { progress, more }: Extract<McpAction, { do: 'progress' }>,
  ): Promise<void> | void {
    const meta = message.params?.['_meta'];
    const progressToken = isObject(meta) ? meta['progressToken'] : undefined;
    // A server may not report progress to a client that has not asked for it.
    if (progressToken === undefined && more?.['progressToken'] === undefined) return;
    const params = { progressToken, progress, ...more };
    return this.write(exchange, { jsonrpc: '2.0', method: 'notifications/progress', params });
  }

  private takeAnswer(message: McpMessage): void {
    const take = this.waiting.get(String(message.id));
    this.waiting.delete(String(message.id));
    if (take) take(message);
    else this.violate(`an answer has the unknown id ${JSON.stringify(message.id)}`);
  }

  /** Records what the client may not do, whatever the answer is. */
  private judge({ id, params }: McpMessage, method: string): void {
    if (id === null) this.violate(`${method} has the id null`);
    if (id !== undefined) {
      if (this.usedIds.has(id)) this.violate(`${method} repeats the id ${JSON.stringify(id)}`);
      this.usedIds.add(id);
    }
    if (method === 'initialize' && this.state !== 'new') this.violate('initialize was sent twice in one session');
    if (this.state === 'new' && method !== 'initialize' && method !== 'ping')
      this.violate(`${method} was sent before initialize`);
    if (
      this.state === 'initializing' &&
      !['notifications/initialized', 'notifications/cancelled', 'ping'].includes(method)
    ) {
      this.violate(`${method} was sent before notifications/initialized`);
    }
    if (method === 'notifications/cancelled' && !this.usedIds.has(params?.['requestId'])) {
      this.violate(`notifications/cancelled names the unknown request ${JSON.stringify(params?.['requestId'])}`);
    }
  }

  /** Keeps the state that a message changes. */
  private follow({ params = {} }: McpMessage, method: string): void {
    if (method === 'initialize') {
      this.state = 'initializing';
      const result = this.ports.offer.answer('initialize', params);
      this.version = isObject(result) ? String(result['protocolVersion']) : undefined;
    } else if (method === 'notifications/initialized') this.state = 'ready';
    else if (method === 'notifications/cancelled') this.cancel(params['requestId'], params['reason']);
  }

  private cancel(requestId: unknown, reason: unknown): void {
    this.ports.note({ event: 'cancelled', requestId, ...(reason !== undefined && { reason }) });
    const playing = this.playing.get(requestId);
    if (!playing) return;
    playing.isCancelled = true;
    playing.cancelled.resolve();
  }

  private violate(rule: string): void {
    this.ports.note({ event: 'violation', rule });
  }
}

function repeated(text: string, repeat = 1, encoding: 'utf8' | 'base64' = 'utf8'): Buffer {
  return encoding === 'utf8' ? Buffer.from(text.repeat(repeat)) : Buffer.from(text, encoding);
}

function offered<T>(action: T | undefined, name: string): T {
  if (action === undefined) throw new Error(`The action "${name}" does not exist on this transport.`);
  return action;
}
