/**
 * The pending group of calls: applies an event to its call, and extracts finished calls. Pure; a call that reached a
 * terminal status stays there, and an answered one no longer changes.
 */

import type { ToolCallUpdatedEvent } from '../protocol/agent-events.ts';
import { getErrorMessage } from '../protocol/errors.ts';
import type { ServerToolCallConfirmationDetails } from '../protocol/events.ts';
import type { ToolCallRequestInfo, ToolCallResponseInfo, ToolCallStatus } from '../protocol/tool-calls.ts';
import { describeFailedCommand, readFailedCommand } from './command-failure.ts';
import { toShownResult } from './shown-result.ts';
import type { ChildView, PendingCall, SpentByAgent, ToolCallView } from './transcript.ts';

/** Live output kept per call. It is cut at twice this length, so that cutting costs nothing per event. */
const OUTPUT_KEPT = 100_000;

const NO_OUTPUT = { output: '', omittedOutput: 0 } as const;

const TERMINAL: ReadonlySet<ToolCallStatus> = new Set<ToolCallStatus>(['success', 'error', 'cancelled']);

export type Calls = readonly PendingCall[];

export function addCall(calls: Calls, { callId, name, args, display }: ToolCallRequestInfo): Calls {
  if (calls.some((call) => call.callId === callId)) return calls;
  return [
    ...calls,
    {
      callId,
      name,
      display: display ?? { name, description: '' },
      args,
      status: 'validating',
      output: '',
      omittedOutput: 0,
      isAnswered: false,
    },
  ];
}

export function askAboutCall(calls: Calls, { request, details }: ServerToolCallConfirmationDetails): Calls {
  return changeCall(calls, request.callId, (call) => ({
    ...moveCall(call, 'awaiting_approval'),
    // A hook or the user's editor may have changed the arguments since the request.
    args: request.args,
    confirmation: details,
    ...(request.forcedAsk === true && { forcedAsk: true }),
  }));
}

export function updateCall(calls: Calls, event: ToolCallUpdatedEvent): Calls {
  const { callId, status, output, pid, shown, name, args } = event;
  return changeCall(calls, callId, (call) => {
    const known = pid === undefined ? call : { ...startAgain(call, pid), pid };
    return {
      ...moveCall(known, status),
      ...shown,
      ...(name !== undefined && { name }),
      ...(args !== undefined && { args }),
      ...(output && appendOutput(known, output)),
    };
  });
}

export function answerCall(calls: Calls, response: ToolCallResponseInfo): Calls {
  const { callId, resultDisplay, error, errorType, display, outputFile, data } = response;
  const failed = readFailedCommand(data);
  const spent = readSpent(data);
  return changeCall(calls, callId, (call) => ({
    ...moveCall(call, error ? 'error' : 'success'),
    ...(display && { display }),
    ...(resultDisplay !== undefined && NO_OUTPUT),
    ...(resultDisplay && { result: toShownResult(resultDisplay) }),
    ...(error && { error: { message: getErrorMessage(error), ...(errorType && { type: errorType }) } }),
    ...(failed && { failure: describeFailedCommand(failed) }),
    ...(spent && { spent }),
    ...(outputFile !== undefined && { outputFile }),
    isAnswered: true,
  }));
}

/** Ends every call for which no more events will arrive. */
export function abandonCalls(calls: Calls): Calls {
  return calls.map((call) => ({ ...moveCall(call, 'cancelled'), isAnswered: true }));
}

/** The answered calls before the first unanswered one, in committed form, and the rest. */
export function takeFinished(calls: Calls): { finished: ToolCallView[]; rest: Calls } {
  const unanswered = calls.findIndex(({ isAnswered }) => !isAnswered);
  const count = unanswered === -1 ? calls.length : unanswered;
  if (count === 0) return { finished: [], rest: calls };
  return { finished: calls.slice(0, count).map(toCommittedCall), rest: calls.slice(count) };
}

/** Every call of the group, including those of children, parents first. */
export function* allCalls(calls: Calls): Generator<PendingCall> {
  for (const call of calls) {
    yield call;
    if (call.child) yield* allCalls(call.child.calls);
  }
}

/** Changes the child view of the call with that id, at any depth. */
export function changeChild(calls: Calls, callId: string, change: (child: ChildView) => ChildView): Calls {
  const own = calls.findIndex((call) => call.callId === callId);
  const index = own === -1 ? calls.findIndex(({ child }) => child && holds(child.calls, callId)) : own;
  const call = calls[index];
  if (!call || call.isAnswered) return calls;
  const child = call.child ?? NO_CHILD;
  const changed = own === -1 ? { ...child, calls: changeChild(child.calls, callId, change) } : change(child);
  return calls.with(index, { ...call, child: changed });
}

const NO_CHILD: ChildView = { text: '', calls: [], omittedCalls: 0, tokens: 0 };

function holds(calls: Calls, callId: string): boolean {
  for (const call of allCalls(calls)) if (call.callId === callId) return true;
  return false;
}

function changeCall(calls: Calls, callId: string, change: (call: PendingCall) => PendingCall): Calls {
  const index = calls.findIndex((call) => call.callId === callId);
  const call = calls[index];
  return call === undefined || call.isAnswered ? calls : calls.with(index, change(call));
}

function moveCall(call: PendingCall, status: ToolCallStatus): PendingCall {
  const { confirmation: _settled, ...moved } = call;
  return TERMINAL.has(call.status) ? call : { ...moved, status };
}

/** Undefined for all but the results of sub-agents. */
function readSpent(data: Readonly<Record<string, unknown>> | undefined): SpentByAgent | undefined {
  const { agentId, tokens, usd } = data ?? {};
  if (agentId === undefined || typeof tokens !== 'number') return undefined;
  return { tokens, ...(typeof usd === 'number' && { usd }) };
}

/** Another process runs the command again: what the first one printed is no part of this attempt. */
function startAgain(call: PendingCall, pid: number): PendingCall {
  return call.pid === undefined || call.pid === pid ? call : { ...call, ...NO_OUTPUT };
}

function appendOutput({ output, omittedOutput }: PendingCall, delta: string) {
  const whole = output + delta;
  if (whole.length <= 2 * OUTPUT_KEPT) return { output: whole, omittedOutput };
  const kept = whole.slice(-OUTPUT_KEPT);
  return { output: kept, omittedOutput: omittedOutput + whole.length - kept.length };
}

function toCommittedCall(call: PendingCall): ToolCallView {
  const { args: _arguments, confirmation: _details, forcedAsk: _asked, isAnswered: _answered, ...view } = call;
  return view.child ? { ...view, child: toCommittedChild(view.child) } : view;
}

/** Keeps the child's calls and how they ended; their output would fill the memory of a long session. */
function toCommittedChild(child: ChildView): ChildView {
  const calls = child.calls.map(({ args: _arguments, result: _result, ...call }) => ({ ...call, output: '' }));
  return { ...child, calls };
}
