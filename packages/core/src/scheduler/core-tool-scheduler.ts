/**
 * CoreToolScheduler: runs the calls of a turn, in waves, and answers every one of them in every case: a denial, an
 * error, an abort, a consumer that leaves. It runs one batch at a time; results come in the order of the requests.
 */

import type { AgentEvent } from '../protocol/agent-events.ts';
import type { PartListUnion } from '../protocol/content.ts';
import { GeminiEventType } from '../protocol/events.ts';
import type { EventAddress } from '../protocol/events.ts';
import type { CompletedToolCall, ShownCall, ToolCall, ToolCallRequestInfo } from '../protocol/tool-calls.ts';
import type { ConfirmationPayload, ToolConfirmationOutcome } from '../protocol/tools.ts';
import { loadValidator } from '../tools/argument-validator.ts';
import { abortWith } from '../util/abort.ts';
import { AsyncQueue } from '../util/async-queue.ts';
import { systemClock } from '../util/clock.ts';
import type { Clock } from '../util/clock.ts';
import { SerialQueue } from '../util/serial-queue.ts';
import { Approvals } from './approvals.ts';
import { CallPreparation, showCall } from './call-preparation.ts';
import type { Emit } from './call-preparation.ts';
import type { ReadyCall } from './ready-call.ts';
import { createAbortedResult, createErrorResult } from './call-results.ts';
import type { CallRecorder, DecisionRecorder, EditProposal, PolicyPort, ToolHooks, ToolLookup } from './ports.ts';
import type { AskingChild } from './children.ts';
import { transition } from './tool-call-state.ts';
import { ToolExecutor } from './tool-executor.ts';
import type { ToolExecutorOptions } from './tool-executor.ts';
import { toWaves } from './waves.ts';

export interface CoreToolSchedulerOptions extends Pick<
  ToolExecutorOptions,
  'mediaInResponses' | 'outputBounds' | 'resultContext' | 'session'
> {
  tools: ToolLookup;
  policy: PolicyPort;
  hooks?: ToolHooks;
  recorder?: CallRecorder;
  recordDecision?: DecisionRecorder;
  editProposal?: EditProposal;
  /** The sub-agent whose calls it runs: named in its questions and judged by the rules for it. */
  subagent?: string;
  clock?: Clock;
}

/** A hook that always replaces the call by another tool would never let it end. */
const MAX_TAKEOVERS = 10;
const TOO_MANY = `Hooks forwarded this call to another tool more than ${MAX_TAKEOVERS} times.`;

export class CoreToolScheduler {
  private readonly approvals = new Approvals();
  private readonly preparation: CallPreparation;
  private readonly executor: ToolExecutor;
  private readonly clock: Clock;
  private readonly queue = new SerialQueue();
  /** Aborts the waiting batches and the running one; replaced by `cancelAll`. */
  private everything = new AbortController();
  private running = 0;

  constructor(options: CoreToolSchedulerOptions) {
    this.preparation = new CallPreparation({ ...options, approvals: this.approvals });
    this.clock = options.clock ?? systemClock;
    this.executor = new ToolExecutor(options);
  }

  /** Whether a batch of calls is running. */
  isRunning(): boolean {
    return this.running > 0;
  }

  /**
   * Yields the events of the calls and returns them completed, one per request. Does not throw: an abort completes
   * open calls as cancelled. Leaving early aborts too.
   */
  async *run(
    requests: readonly ToolCallRequestInfo[],
    signal: AbortSignal,
  ): AsyncGenerator<AgentEvent, CompletedToolCall[]> {
    const left = new AbortController();
    const events = new AsyncQueue<AgentEvent>();
    const release = abortWith(left, [signal, this.everything.signal]);
    const batch = this.runInTurn(requests, left.signal, (event) => events.push(event)).finally(() => events.close());
    let hasEnded = false;
    try {
      for await (const event of events) if (!this.isOutdated(event)) yield event;
      hasEnded = true;
    } finally {
      if (!hasEnded) left.abort();
      await batch;
      release();
    }
    return batch;
  }

  /** `run` without the events. Rejects when it is aborted while the batch waits. */
  async schedule(
    request: ToolCallRequestInfo | readonly ToolCallRequestInfo[],
    signal: AbortSignal,
  ): Promise<CompletedToolCall[]> {
    const requests = Array.isArray(request) ? (request as ToolCallRequestInfo[]) : [request as ToolCallRequestInfo];
    const everything = this.everything.signal;
    const both = AbortSignal.any([signal, everything]);
    let leave: () => void;
    try {
      leave = await this.queue.enter(both);
    } catch (error) {
      const why = everything.aborted ? 'Operation cancelled by user' : 'Tool call cancelled while in queue.';
      throw new Error(why, { cause: error });
    }
    try {
      return await this.runBatch(requests, both, () => undefined);
    } finally {
      leave();
    }
  }

  /** Cancels the running batch and rejects the waiting ones. */
  cancelAll(): void {
    this.everything.abort();
    this.everything = new AbortController();
  }

  /** Whether one of its calls waits for approval. */
  isWaiting(callId: string): boolean {
    return this.approvals.isWaiting(callId);
  }

  /** The child of a running call that waits for the answer to this question. */
  findAskingChild(id: string, address: EventAddress): AskingChild | undefined {
    return this.executor.children.findAsking(id, address);
  }

  /** Passes the user's text on to the children of running calls. */
  steerChildren(input: PartListUnion): void {
    this.executor.children.steer(input);
  }

  /** Answers a `tool_call_confirmation`. Throws when no such call waits. */
  respond(callId: string, outcome: ToolConfirmationOutcome, payload?: ConfirmationPayload): void {
    this.approvals.respond(callId, outcome, payload);
  }

  /** A question without a waiting call: the call was cancelled before the question was read. */
  private isOutdated(event: AgentEvent): boolean {
    return isOwnQuestion(event) && !this.approvals.isWaiting(event.value.request.callId);
  }

  private async runInTurn(
    requests: readonly ToolCallRequestInfo[],
    signal: AbortSignal,
    emit: Emit,
  ): Promise<CompletedToolCall[]> {
    const leave = await this.queue.enter(signal).catch(() => undefined);
    try {
      // Aborted while it waited: every call still gets its response.
      return await this.runBatch(requests, signal, emit);
    } finally {
      leave?.();
    }
  }

  private async runBatch(
    requests: readonly ToolCallRequestInfo[],
    signal: AbortSignal,
    emit: Emit,
  ): Promise<CompletedToolCall[]> {
    await loadValidator();
    this.running++;
    const batch = new Batch(requests, emit, (request) => this.preparation.introduce(request));
    try {
      for (const wave of toWaves(requests)) {
        const ready = await this.prepareWave(wave, batch, signal);
        await Promise.all(ready.map((call) => this.runCall(call, batch, signal)));
      }
    } finally {
      this.running--;
    }
    return batch.completed();
  }

  /** Prepares one call after another, so that the user gets one question at a time. */
  private async prepareWave(
    wave: readonly ToolCallRequestInfo[],
    batch: Batch,
    signal: AbortSignal,
  ): Promise<ReadyCall[]> {
    const ready: ReadyCall[] = [];
    for (const request of wave) {
      if (batch.isDeclined || signal.aborted) {
        batch.complete(createAbortedResult(request, signal, 'not_started'));
        continue;
      }
      const prepared = await this.preparation.prepare(request, signal, batch.emit);
      if (prepared.kind === 'ready') {
        batch.move({ status: 'scheduled', request: prepared.request }, prepared);
        ready.push(prepared);
      } else {
        batch.complete(prepared.completed);
        batch.isDeclined ||= prepared.declined;
      }
    }
    return ready;
  }

  private async runCall(first: ReadyCall, batch: Batch, signal: AbortSignal): Promise<void> {
    batch.move({ status: 'executing', request: first.request, startTime: this.clock.now() });
    let takenOver = 0;
    for (let call = first; ;) {
      const ended = await this.executor.run(call, signal, batch.emit);
      if (!('kind' in ended)) return batch.complete(ended);
      if (++takenOver > MAX_TAKEOVERS) return batch.complete(createErrorResult(ended.request, new Error(TOO_MANY)));
      // Another tool replaces the call under the same id; it must pass the same checks.
      const next = await this.preparation.prepare(ended.request, signal, batch.emit);
      if (next.kind === 'refused') return batch.complete(next.completed);
      batch.move({ status: 'executing', request: next.request }, next);
      call = next;
    }
  }
}

/** The calls of one batch: the state of each, and the events emitted for it. */
class Batch {
  isDeclined = false;
  readonly emit: Emit;
  private readonly calls = new Map<string, ToolCall>();
  /** Each call as the emitted events describe it. */
  private readonly told = new Map<string, ToolCallRequestInfo>();
  private readonly order: readonly string[];
  private readonly introduce: (request: ToolCallRequestInfo) => ShownCall;

  constructor(
    requests: readonly ToolCallRequestInfo[],
    emit: Emit,
    introduce: (request: ToolCallRequestInfo) => ShownCall,
  ) {
    this.order = requests.map(({ callId }) => callId);
    this.introduce = introduce;
    this.emit = (event) => {
      if (isOwnQuestion(event)) {
        const { request, details } = event.value;
        this.set({ status: 'awaiting_approval', request, details });
        const changed = this.changeOf(request);
        // The question is about the call that would run, which a hook may have put in place of the requested one.
        if (changed) {
          emit({ type: 'tool_call_updated', callId: request.callId, status: 'awaiting_approval', ...changed });
        }
      }
      emit(event);
    };
    for (const request of requests) {
      this.calls.set(request.callId, { status: 'validating', request });
      this.told.set(request.callId, request);
      const { callId } = request;
      emit({ type: 'tool_call_updated', callId, status: 'validating', shown: introduce(request) });
    }
  }

  /** `ready` is the call that runs, which may differ from the requested one. */
  move(call: ToolCall, ready?: ReadyCall): void {
    this.set(call);
    const { callId } = call.request;
    this.emit({ type: 'tool_call_updated', callId, status: call.status, ...this.changeOf(call.request, ready) });
  }

  complete(call: CompletedToolCall): void {
    this.move(call);
    this.emit({ type: GeminiEventType.ToolCallResponse, value: call.response });
  }

  completed(): CompletedToolCall[] {
    return this.order.map((callId) => this.calls.get(callId) as CompletedToolCall);
  }

  /** What the events have not told of this call yet; undefined where they describe it as it is. */
  private changeOf(request: ToolCallRequestInfo, ready?: ReadyCall) {
    const { callId, name, args } = request;
    const told = this.told.get(callId);
    if (told?.name === name && told.args === args) return undefined;
    this.told.set(callId, request);
    return { name, args, shown: ready ? showCall(ready) : this.introduce(request) };
  }

  private set(call: ToolCall): void {
    const { callId } = call.request;
    const before = this.calls.get(callId);
    if (!before) throw new Error(`Call ${callId} is not part of this batch.`);
    this.calls.set(callId, transition(before, call));
  }
}

/** The question of a child waits in the child's session. */
function isOwnQuestion(event: AgentEvent): event is Extract<AgentEvent, { type: 'tool_call_confirmation' }> {
  return event.type === GeminiEventType.ToolCallConfirmation && event.parentCallId === undefined;
}
