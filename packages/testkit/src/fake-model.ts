/**
 * A real HTTP server on the loopback that plays a script over the protocol of a vendor. It owns the order of steps and
 * the record of requests; it rejects what the vendor would reject (no key, unknown fields, illegal conversations), and
 * a rejected request consumes no step. Nothing survives `close()`.
 *
 *     await using model = await fakeModel([call('read_file', { path: 'a' }), say('done')], { protocol: 'anthropic' });
 */

import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Answer, ModelRequest, Step } from './answer.ts';
import type { Chunking } from './chunking.ts';
import { Condition } from './condition.ts';
import { playAnswer } from './play-answer.ts';
import type { ProtocolOptions } from './protocols/protocol.ts';
import { createService } from './protocols/service.ts';
import type { Service } from './protocols/service.ts';
import { readRequest } from './read-request.ts';
import type { Refusal } from './refuse.ts';
import { toAnswer } from './script.ts';
import { statusAnswer } from './status-faults.ts';

/** The answers in order; or one function that answers every request, for many clients at once. */
export type Script = readonly Step[] | ((request: ModelRequest) => Step | Promise<Step>);

export interface FakeModelOptions extends ProtocolOptions {
  /** How bodies are cut, unless a step sets it. Default `frame`. */
  readonly chunking?: Chunking;
  /** After the last step, repeats it instead of failing. */
  readonly repeatLast?: boolean;
}

/** A request the service would have rejected, and why. */
export interface Violation {
  readonly request: ModelRequest;
  /** One sentence per broken rule, with the number of the turn where there is one. */
  readonly messages: readonly string[];
}

export interface FakeModel extends AsyncDisposable {
  /** The base URL, without a slash at the end. */
  readonly url: string;
  /** Every request that arrived whole, rejected ones too. */
  readonly requests: readonly ModelRequest[];
  readonly violations: readonly Violation[];
  /** TCP connections accepted so far. */
  readonly connections: number;
  /** Requests received whole and not yet answered to the end. */
  readonly openStreams: number;
  /** How often a client disconnected before its answer had ended. */
  readonly disconnects: number;
  /** Steps not yet played. */
  readonly stepsLeft: number;
  /** Resolves with the nth request (from 1) when it has arrived whole. */
  waitForRequest(count: number): Promise<ModelRequest>;
  /** Resolves when no answer is being sent. */
  waitForIdle(): Promise<void>;
  /** Resolves when this many clients have disconnected early. */
  waitForDisconnects(count: number): Promise<void>;
  /** Throws when steps are left, requests arrived beyond the script, or something illegal was sent. */
  assertDone(): void;
  /** Destroys every connection and stops listening. May be called twice. */
  close(): Promise<void>;
}

export async function fakeModel(script: Script, options: FakeModelOptions = {}): Promise<FakeModel> {
  const model = new FakeModelServer(script, options);
  await model.listen();
  return model;
}

class FakeModelServer implements FakeModel {
  url = '';
  readonly requests: ModelRequest[] = [];
  readonly violations: Violation[] = [];
  connections = 0;
  openStreams = 0;
  disconnects = 0;

  private readonly script: Script;
  private readonly options: FakeModelOptions;
  private readonly service: Service;
  private readonly server: Server;
  private readonly sockets = new Map<Socket, number>();
  private readonly condition = new Condition();
  private readonly unscripted: ModelRequest[] = [];
  private readonly failures: unknown[] = [];
  private played = 0;
  private isClosed = false;

  constructor(script: Script, options: FakeModelOptions) {
    this.script = script;
    this.options = options;
    this.service = createService(options);
    this.server = createServer((incoming, response) => void this.serve(incoming, response));
    // No timer of the server may end a connection that a test keeps idle on purpose.
    this.server.keepAliveTimeout = 0;
    this.server.headersTimeout = 0;
    this.server.requestTimeout = 0;
    this.server.on('connection', (socket) => this.admit(socket));
  }

  get stepsLeft(): number {
    return typeof this.script === 'function' ? 0 : Math.max(0, this.script.length - this.played);
  }

  async listen(): Promise<void> {
    this.server.listen(0, '127.0.0.1');
    await once(this.server, 'listening');
    this.url = `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async waitForRequest(count: number): Promise<ModelRequest> {
    await this.condition.until(() => this.requests.length >= count);
    return this.requests[count - 1]!;
  }

  waitForIdle(): Promise<void> {
    return this.condition.until(() => this.openStreams === 0);
  }

  waitForDisconnects(count: number): Promise<void> {
    return this.condition.until(() => this.disconnects >= count);
  }

  assertDone(): void {
    const complaints = [
      ...(this.stepsLeft > 0 ? [`${this.stepsLeft} of the script's steps were never asked for.`] : []),
      ...this.unscripted.map(({ index, path }) => `Request ${index + 1} (${path}) came after the script's end.`),
      ...this.violations.map(
        ({ request, messages }) => `Request ${request.index + 1} was refused: ${messages.join('; ')}.`,
      ),
      ...this.failures.map((error) => `The script itself failed: ${String(error)}`),
    ];
    if (complaints.length > 0) throw new Error(complaints.join('\n'), { cause: this.failures[0] });
  }

  async close(): Promise<void> {
    if (this.isClosed) return;
    this.isClosed = true;
    const closed = once(this.server, 'close');
    this.server.close();
    for (const socket of this.sockets.keys()) socket.destroy();
    await closed;
    this.condition.finish(new Error(`The fake model was closed after ${this.requests.length} requests.`));
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  private admit(socket: Socket): void {
    this.connections++;
    this.sockets.set(socket, this.connections);
    socket.setNoDelay(true);
    // A client may reset a connection at any time; only the 'close' that follows matters.
    socket.on('error', () => {});
    socket.on('close', () => this.sockets.delete(socket));
  }

  private async serve(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const connection = this.sockets.get(incoming.socket) ?? 0;
    const request = await readRequest(incoming, connection, () => this.requests.length, this.service.route);
    // The client closed the connection during its request.
    if (!request) return;
    this.requests.push(request);
    this.openStreams++;
    const exchange = this.watch(response);
    this.condition.changed();
    const stamp = { modelVersion: request.model ?? '', responseId: `response-${request.index + 1}` };
    const wire = { chunking: this.options.chunking ?? 'frame' };
    try {
      const chosen = await this.chooseAnswer(request);
      const answer = this.service.translate(chosen, request, stamp);
      await playAnswer(answer, { response, ...exchange, stamp, wire });
    } catch (error) {
      // An invalid script must fail the test, not the process that runs it.
      this.failures.push(error);
      response.destroy();
    }
  }

  /** Keeps the counts of one exchange; `gone` resolves after they are updated. */
  private watch(response: ServerResponse): { gone: Promise<void>; onBreak: () => void } {
    let isOurs = false;
    const gone = new Promise<void>((resolve) => {
      response.once('close', () => {
        this.openStreams--;
        if (!response.writableFinished && !isOurs && !this.isClosed) this.disconnects++;
        resolve();
        this.condition.changed();
      });
    });
    return { gone, onBreak: () => (isOurs = true) };
  }

  private async chooseAnswer(request: ModelRequest): Promise<Answer> {
    const refusal = this.service.refuse(request);
    if (refusal) return this.noteRefusal(request, refusal);
    try {
      const aside = this.service.aside(request);
      return await settle(aside ?? this.nextStep(request), request);
    } catch (error) {
      this.failures.push(error);
      return statusAnswer(500, { message: `The fake model's script failed: ${String(error)}` });
    }
  }

  private noteRefusal(request: ModelRequest, { answer, messages }: Refusal): Answer {
    this.violations.push({ request, messages });
    return answer;
  }

  private nextStep(request: ModelRequest): Step {
    if (typeof this.script === 'function') return this.script;
    const step = this.script[this.played] ?? (this.options.repeatLast ? this.script.at(-1) : undefined);
    this.played++;
    if (step !== undefined) return step;
    this.unscripted.push(request);
    return statusAnswer(500, {
      message: `The fake model's script has ${this.script.length} steps and this is request ${this.played}.`,
    });
  }
}

async function settle(step: Step, request: ModelRequest): Promise<Answer> {
  let current = step;
  while (typeof current === 'function') current = await current(request);
  return toAnswer(current);
}
