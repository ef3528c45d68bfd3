/**
 * Completes names and ids of calls. The service may omit either, and a model may repeat an id; a call needs a name
 * and a unique id before it can be answered.
 */

import type { FunctionCall, GenerateContentResponse, Part } from '../protocol/content.ts';
import type { Origin } from '../protocol/origin.ts';
import type { Clock } from '../util/clock.ts';
import { getFunctionCalls, getParts } from './response.ts';
import { isRecord } from '../util/is-record.ts';

export const UNNAMED_TOOL = 'undefined_tool_name';

/** `<name>-<ms>-<random hex>`. */
export function createCallId(name: string, clock: Clock): string {
  const hex = Math.floor(clock.random() * 0x1_0000_0000_0000)
    .toString(16)
    .padStart(12, '0');
  return `${name}-${clock.now()}-${hex}`;
}

/** Returns the call with name, id and args filled in. An id already in use is replaced. */
export function completeFunctionCall(
  call: FunctionCall,
  isTaken: (id: string) => boolean,
  clock: Clock,
): Required<FunctionCall> {
  const name = (typeof call.name === 'string' && call.name.trim()) || UNNAMED_TOOL;
  let id = typeof call.id === 'string' ? call.id : '';
  while (id === '' || isTaken(id)) id = createCallId(name, clock);
  return { id, name, args: isRecord(call.args) ? call.args : {} };
}

/** The ids of one session. The ids of an attempt count only once it is accepted: a retry may repeat them. */
export class CallIds {
  private readonly clock: Clock;
  private readonly accepted = new Set<string>();
  private current = new Set<string>();
  /** The given ids of this attempt's calls that were replaced, and what replaced the first of each. */
  private replaced = new Map<string, string>();

  constructor(clock: Clock) {
    this.clock = clock;
  }

  beginAttempt(): void {
    this.current = new Set();
    this.replaced = new Map();
  }

  acceptAttempt(): void {
    for (const id of this.current) this.accepted.add(id);
  }

  /** Returns the frame with every call complete; the same object when it holds none. */
  complete(response: GenerateContentResponse): GenerateContentResponse {
    if (getFunctionCalls(response).length === 0) return response;
    const parts = getParts(response);
    const [candidate, ...others] = response.candidates ?? [];
    const content = { ...candidate?.content, parts: parts.map((part) => this.completePart(part)) };
    return { ...response, candidates: [{ ...candidate, content }, ...others] };
  }

  /** The origin with the state of each call under the id that the call has now. */
  rename(origin: Origin | undefined): Origin | undefined {
    if (!origin?.calls || this.replaced.size === 0) return origin;
    const calls = Object.entries(origin.calls).map(([id, state]) => [this.replaced.get(id) ?? id, state] as const);
    return { ...origin, calls: Object.fromEntries(calls) };
  }

  private completePart(part: Part): Part {
    if (!part?.functionCall) return part;
    const isTaken = (id: string) => this.current.has(id) || this.accepted.has(id);
    const given = part.functionCall.id;
    const functionCall = completeFunctionCall(part.functionCall, isTaken, this.clock);
    const isReplaced = given !== undefined && given !== functionCall.id;
    if (isReplaced && !this.current.has(given) && !this.replaced.has(given)) this.replaced.set(given, functionCall.id);
    this.current.add(functionCall.id);
    return { ...part, functionCall };
  }
}
