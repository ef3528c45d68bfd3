/** LazyScheduler: a scheduler that the first calls load, since an answer without calls needs none. */

import type { AgentEvent } from '../protocol/agent-events.ts';
import type { PartListUnion } from '../protocol/content.ts';
import type { EventAddress } from '../protocol/events.ts';
import type { CompletedToolCall, ToolCallRequestInfo } from '../protocol/tool-calls.ts';
import type { ConfirmationPayload, ToolConfirmationOutcome } from '../protocol/tools.ts';
import type { AskingChild } from '../scheduler/children.ts';
import type { SchedulerPort } from './scheduler-port.ts';

export class LazyScheduler implements SchedulerPort {
  private readonly load: () => Promise<SchedulerPort>;
  private loading: Promise<void> | undefined;
  private loaded: SchedulerPort | undefined;

  constructor(load: () => Promise<SchedulerPort>) {
    this.load = load;
  }

  async *run(
    requests: readonly ToolCallRequestInfo[],
    signal: AbortSignal,
  ): AsyncGenerator<AgentEvent, CompletedToolCall[]> {
    this.loading ??= this.load().then((scheduler) => void (this.loaded = scheduler));
    await this.loading;
    return yield* (this.loaded as SchedulerPort).run(requests, signal);
  }

  isWaiting(callId: string): boolean {
    return this.loaded?.isWaiting(callId) ?? false;
  }

  findAskingChild(id: string, address: EventAddress): AskingChild | undefined {
    return this.loaded?.findAskingChild(id, address);
  }

  steerChildren(input: PartListUnion): void {
    this.loaded?.steerChildren(input);
  }

  respond(callId: string, outcome: ToolConfirmationOutcome, payload?: ConfirmationPayload): void {
    if (!this.loaded) throw new Error(`No call with the id ${callId} is waiting for an answer.`);
    this.loaded.respond(callId, outcome, payload);
  }
}
