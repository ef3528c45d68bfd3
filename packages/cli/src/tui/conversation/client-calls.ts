/**
 * Tracks calls the user started, such as `!command`: shown like those of a model while they run, and removed once the
 * model has been informed. It runs nothing.
 */

import type { PendingCall } from '@castor/core';

/** A piece of a call's output. */
export type OutputUpdateHandler = (callId: string, outputChunk: string) => void;

export interface ClientCallRequest {
  readonly callId: string;
  /** The name the user knows. */
  readonly name: string;
  readonly description: string;
}

/** Characters of output kept for display. */
const KEPT_OUTPUT = 100_000;

export class ClientCalls {
  /** A new list with every change. */
  calls: readonly PendingCall[] = [];
  private readonly onChange: () => void;

  constructor(onChange: () => void) {
    this.onChange = onChange;
  }

  readonly scheduleToolCalls = (requests: readonly ClientCallRequest[]): void => {
    this.set([...this.calls, ...requests.map(toRunningCall)]);
  };

  readonly outputUpdateHandler: OutputUpdateHandler = (callId, outputChunk) => {
    this.set(
      this.calls.map((call) =>
        call.callId === callId ? { ...call, output: (call.output + outputChunk).slice(-KEPT_OUTPUT) } : call,
      ),
    );
  };

  readonly notePid = (callId: string, pid: number): void => {
    this.set(this.calls.map((call) => (call.callId === callId ? { ...call, pid } : call)));
  };

  readonly markToolsAsSubmitted = (callIds: readonly string[]): void => {
    this.set(this.calls.filter(({ callId }) => !callIds.includes(callId)));
  };

  private set(calls: readonly PendingCall[]): void {
    this.calls = calls;
    this.onChange();
  }
}

function toRunningCall({ callId, name, description }: ClientCallRequest): PendingCall {
  return {
    callId,
    name,
    display: { name, description },
    status: 'executing',
    output: '',
    omittedOutput: 0,
    isAnswered: false,
  };
}

/** The calls of the model, then those of the user. */
export function pendingCalls(
  ofModel: readonly PendingCall[] | undefined,
  ofPerson: readonly PendingCall[],
): readonly PendingCall[] {
  return ofPerson.length === 0 ? (ofModel ?? []) : [...(ofModel ?? []), ...ofPerson];
}
