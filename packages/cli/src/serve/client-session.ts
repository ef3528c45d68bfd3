/**
 * ClientSession: speaks MCP with one client: the handshake, the list of tools, calls and their cancelling, and the
 * questions Castor asks the client. It knows no transport and no agent; `run` is one call.
 */

import { getErrorMessage } from '@castor/core';
import { isRecord } from '@castor/core/program';
import { errorOf, readMessage, resultOf, RpcCode } from './json-rpc.ts';
import type { ReadMessage, RequestId, RpcMessage } from './json-rpc.ts';
import { readPromptCall, TOOLS } from './tools.ts';
import type { PromptCall } from './tools.ts';

/** The first is offered to a client that asks for a revision we do not know. */
const REVISIONS = ['2025-06-18', '2025-03-26', '2024-11-05'];
const FIRST_WITH_ELICITATION = '2025-06-18';

const INSTRUCTIONS =
  'Castor is a coding agent. run_prompt starts a task in its folder, continue_session continues one. A task may ' +
  'take minutes: pass a progress token, and cancel the request to stop it.';

/** The services of one call. */
export interface CallContext {
  readonly signal: AbortSignal;
  /** Does nothing for a client that asked for no progress. */
  readonly progress: (message: string) => void;
  /** Asks the user behind the client; undefined when the client cannot ask. */
  readonly ask: ((question: Question) => Promise<Answer>) | undefined;
}

/** A form of the protocol: `properties` are flat fields of a JSON schema. */
export interface Question {
  readonly message: string;
  readonly properties: Readonly<Record<string, RpcMessage>>;
  readonly required: readonly string[];
}

/** `undefined` is a refusal, and so is a client that failed to ask. */
export type Answer = Readonly<Record<string, unknown>> | undefined;

export interface ClientSessionOptions {
  readonly version: string;
  /** `about` is the call a message belongs to, for a transport with a stream for each. */
  readonly send: (message: RpcMessage, about?: RequestId) => void;
  /** Resolves to the result of `tools/call`. */
  readonly run: (call: PromptCall, context: CallContext) => Promise<RpcMessage>;
}

export class ClientSession {
  private readonly options: ClientSessionOptions;
  private readonly calls = new Map<RequestId, { controller: AbortController; ended: Promise<void> }>();
  private readonly questions = new Map<string, (answer: Answer) => void>();
  private nextQuestion = 1;
  private isInitialized = false;
  private canAsk = false;

  constructor(options: ClientSessionOptions) {
    this.options = options;
  }

  get isBusy(): boolean {
    return this.calls.size > 0;
  }

  receive(message: unknown): void {
    this.take(readMessage(message));
  }

  take(message: ReadMessage): void {
    switch (message.kind) {
      case 'invalid':
        return this.options.send(message.reply);
      case 'answer':
        return this.answered(message.id, message.result);
      case 'notification':
        if (message.method === 'notifications/cancelled') this.cancel(message.params['requestId'] as RequestId);
        return;
      case 'request':
        return this.request(message);
    }
  }

  /** Stops one call; the protocol wants no answer to it. */
  cancel(id: RequestId): void {
    this.calls.get(id)?.controller.abort();
  }

  /** Stops all calls; resolves when their processes have ended. */
  async close(): Promise<void> {
    const running = [...this.calls.values()];
    for (const { controller } of running) controller.abort();
    await Promise.all(running.map(({ ended }) => ended));
  }

  private request({ id, method, params }: Extract<ReadMessage, { kind: 'request' }>): void {
    const { send } = this.options;
    if (method === 'initialize') return send(resultOf(id, this.initialize(params)), id);
    if (method === 'ping') return send(resultOf(id, {}), id);
    if (method !== 'tools/list' && method !== 'tools/call')
      return send(errorOf(id, RpcCode.MethodNotFound, `Unsupported method: ${method}`), id);
    if (!this.isInitialized) return send(errorOf(id, RpcCode.InvalidRequest, 'Send "initialize" first.'), id);
    if (method === 'tools/list') return send(resultOf(id, { tools: TOOLS }), id);
    const call = readPromptCall(params);
    if (typeof call === 'string') return send(errorOf(id, RpcCode.InvalidParams, call), id);
    if (this.calls.has(id)) return send(errorOf(id, RpcCode.InvalidRequest, 'A call with this id is running.'), id);
    this.start(id, call, params);
  }

  private initialize({ protocolVersion, capabilities }: RpcMessage): RpcMessage {
    const revision = REVISIONS.find((each) => each === protocolVersion) ?? REVISIONS[0]!;
    this.isInitialized = true;
    this.canAsk = revision >= FIRST_WITH_ELICITATION && isRecord(capabilities) && isRecord(capabilities['elicitation']);
    return {
      protocolVersion: revision,
      capabilities: { tools: {} },
      serverInfo: { name: 'castor', title: 'Castor', version: this.options.version },
      instructions: INSTRUCTIONS,
    };
  }

  private start(id: RequestId, call: PromptCall, params: RpcMessage): void {
    const controller = new AbortController();
    this.calls.set(id, { controller, ended: this.run(id, call, params, controller.signal) });
  }

  private async run(id: RequestId, call: PromptCall, params: RpcMessage, signal: AbortSignal): Promise<void> {
    const { run, send } = this.options;
    let reply: RpcMessage;
    try {
      const progress = this.progressOf(params, id, signal);
      const ask = this.canAsk ? (question: Question) => this.ask(question, id, signal) : undefined;
      reply = resultOf(id, await run(call, { signal, progress, ask }));
    } catch (error) {
      reply = errorOf(
        id,
        RpcCode.InternalError,
        `This is a bug in Castor, please report it: ${getErrorMessage(error)}`,
      );
    }
    this.calls.delete(id);
    if (!signal.aborted) send(reply, id);
  }

  private progressOf({ _meta: meta }: RpcMessage, id: RequestId, signal: AbortSignal): (message: string) => void {
    const progressToken = isRecord(meta) ? meta['progressToken'] : undefined;
    if (typeof progressToken !== 'string' && typeof progressToken !== 'number') return () => undefined;
    let progress = 0;
    return (message) => {
      if (signal.aborted) return;
      progress += 1;
      const params = { progressToken, progress, message };
      this.options.send({ jsonrpc: '2.0', method: 'notifications/progress', params }, id);
    };
  }

  private async ask({ message, properties, required }: Question, about: RequestId, signal: AbortSignal) {
    const id = `castor-${this.nextQuestion++}`;
    const { promise, resolve } = Promise.withResolvers<Answer>();
    this.questions.set(id, resolve);
    const onAbort = () => {
      const params = { requestId: id, reason: 'The call has ended.' };
      this.options.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params }, about);
      resolve(undefined);
    };
    signal.addEventListener('abort', onAbort, { once: true });
    const requestedSchema = { type: 'object', properties, required };
    this.options.send(
      { jsonrpc: '2.0', id, method: 'elicitation/create', params: { message, requestedSchema } },
      about,
    );
    try {
      return await promise;
    } finally {
      this.questions.delete(id);
      signal.removeEventListener('abort', onAbort);
    }
  }

  private answered(id: unknown, result: RpcMessage | undefined): void {
    const resolve = typeof id === 'string' ? this.questions.get(id) : undefined;
    const isAccepted = result?.['action'] === 'accept' && isRecord(result['content']);
    resolve?.(isAccepted ? (result['content'] as Answer) : undefined);
  }
}
