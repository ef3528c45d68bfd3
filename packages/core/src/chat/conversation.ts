/**
 * ConversationBuilder builds, turn by turn, contents the service accepts: user and model alternate, no turn or part
 * is empty, every call is answered in the very next turn by a response of the same name and id. It repairs violations
 * by rule: an unanswered call gets an error response, a response without a call is dropped. A model turn that a rule
 * changed loses its origin: the provider rejects state that no longer fits the turn. Appended contents are never
 * changed in place.
 */

import type { Content, FunctionCall, Part } from '../protocol/content.ts';
import { originOf, withOrigin } from '../protocol/origin.ts';
import type { Origin } from '../protocol/origin.ts';
import { assertLegalConversation } from './legality.ts';
import { isValidPart } from './stream-check.ts';
import { isRecord } from '../util/is-record.ts';

/** Accepted in place of a signature where the original is unknown. */
export const SYNTHETIC_THOUGHT_SIGNATURE = 'skip_thought_signature_validator';

export const INTERRUPTED_CALL = 'The call was interrupted before it completed; its effect is unknown.';
const MISSING_START = '[The beginning of this session is not available.]';
/** Ends the text of an answer that the user or a limit interrupted. */
export const INTERRUPTED_ANSWER = '[This response was interrupted before it completed.]';
export const INTERRUPTED_RESPONSE = '[The previous response was interrupted before it completed.]';

interface OpenCall {
  id: string | undefined;
  name: string;
}

export class ConversationBuilder {
  private readonly turns: Content[] = [];
  /** Turns before this one are validated and can no longer change. */
  private checked = 0;
  /** Calls of the last model turn without a response. */
  private openCalls: OpenCall[] = [];
  /** Calls of the last model turn, in order; their responses are put in this order. */
  private lastCalls: OpenCall[] = [];

  static of(turns: readonly Content[]): ConversationBuilder {
    const builder = new ConversationBuilder();
    for (const content of turns) builder.append(content);
    return builder;
  }

  get contents(): readonly Content[] {
    return this.turns;
  }

  /** Throws IllegalConversationError unless the contents may be sent as they are. */
  assertLegal(): void {
    assertLegalConversation(this.turns, this.checked);
    this.checked = Math.max(0, this.turns.length - 1);
  }

  append(content: Content): void {
    if (content.role === 'user') this.appendUser(content);
    else this.appendModel(content);
  }

  private appendUser(content: Content): void {
    const parts = (content.parts ?? []).filter(isSendable);
    const responses = this.takeResponses(parts);
    const rest = parts.filter((part) => !part.functionResponse && !part.functionCall);
    const last = this.turns.at(-1);
    if (responses.length + rest.length === 0) return;
    if (last?.role !== 'user') {
      this.turns.push(same(content, responses, rest) ? content : { role: 'user', parts: [...responses, ...rest] });
    } else if (responses.length === 0 && last.parts?.some((part) => part.functionResponse)) {
      // A new prompt follows a missing answer: the model must see where it was interrupted.
      this.turns.push({ role: 'model', parts: [{ text: INTERRUPTED_RESPONSE }] }, { role: 'user', parts: rest });
    } else {
      this.turns[this.turns.length - 1] = { role: 'user', parts: [...(last.parts ?? []), ...rest] };
    }
  }

  private appendModel(content: Content): void {
    const legal = (content.parts ?? []).filter(isModelSendable).map(toLegalCall);
    const parts = signFirstCall(legal);
    if (parts.length === 0) return;
    if (this.openCalls.length > 0) this.appendUser({ role: 'user', parts: [] });
    const last = this.turns.at(-1);
    if (!last) this.turns.push({ role: 'user', parts: [{ text: MISSING_START }] });
    const calls = parts.flatMap((part) => (part.functionCall ? [toOpenCall(part.functionCall)] : []));
    if (last?.role === 'model') this.joinModel(last, parts);
    else
      this.turns.push(
        sameParts(content, parts) ? content : withOrigin({ role: 'model', parts }, keptOrigin(content, legal)),
      );
    this.lastCalls = calls;
    this.openCalls = [...calls];
  }

  /** Joins two adjacent model turns, unless the first requested a call. */
  private joinModel(last: Content, parts: Part[]): void {
    this.turns[this.turns.length - 1] = { role: 'model', parts: [...(last.parts ?? []), ...parts] };
  }

  /**
   * Returns the responses among `parts` that answer open calls, in the order of the calls, with an error response for
   * each unanswered call. Closes all open calls: the service accepts responses in the very next turn only.
   */
  private takeResponses(parts: readonly Part[]): Part[] {
    if (this.openCalls.length === 0) return [];
    const offered = parts.filter((part) => part.functionResponse);
    const responses = this.lastCalls.map((call) => {
      const index = offered.findIndex((part) => answers(part, call));
      const [found] = index < 0 ? [] : offered.splice(index, 1);
      return toLegalResponse(found ?? interrupted(call), call);
    });
    this.openCalls = [];
    return responses;
  }
}

function isSendable(part: Part): boolean {
  return isValidPart(part) && !part.thought;
}

function isModelSendable(part: Part): boolean {
  return isSendable(part) && !part.functionResponse;
}

function answers(part: Part, call: OpenCall): boolean {
  const { id, name } = part.functionResponse ?? {};
  return id !== undefined && call.id !== undefined ? id === call.id : toLegalName(name) === call.name;
}

function interrupted(call: OpenCall): Part {
  return {
    functionResponse: {
      ...(call.id !== undefined && { id: call.id }),
      name: call.name,
      response: { error: INTERRUPTED_CALL },
    },
  };
}

function toLegalResponse(part: Part, call: OpenCall): Part {
  const { functionResponse = {} } = part;
  const { id, name, response } = functionResponse;
  if (name === call.name && id === call.id && isRecord(response)) return part;
  const { id: _replaced, ...rest } = functionResponse;
  return {
    ...part,
    functionResponse: {
      ...rest,
      ...(call.id !== undefined && { id: call.id }),
      name: call.name,
      response: isRecord(response) ? response : { output: response ?? '' },
    },
  };
}

function toLegalCall(part: Part): Part {
  const call = part.functionCall;
  if (!call) return part;
  const name = toLegalName(call.name);
  if (name === call.name && isRecord(call.args)) return part;
  return { ...part, functionCall: { ...call, name, args: isRecord(call.args) ? call.args : {} } };
}

function toOpenCall(call: FunctionCall): OpenCall {
  return { id: call.id, name: call.name ?? '' };
}

const LEGAL_NAME = /^[A-Za-z_][\w.:-]*$/;

/** A model may request a tool by a name that the service rejects when it is sent back. */
function toLegalName(name: string | undefined): string {
  if (name !== undefined && LEGAL_NAME.test(name)) return name;
  const legal = (name ?? '').replace(/[^\w.:-]/g, '_');
  return LEGAL_NAME.test(legal) ? legal : `_${legal}`;
}

/** Newer models reject a step whose first call carries no signature. */
function signFirstCall(parts: Part[]): Part[] {
  const index = parts.findIndex((part) => part.functionCall);
  const first = parts[index];
  if (!first || first.thoughtSignature) return parts;
  return parts.with(index, { ...first, thoughtSignature: SYNTHETIC_THOUGHT_SIGNATURE });
}

/** Thoughts are not counted in an origin, and its provider ignores our signature: neither change matters. */
function keptOrigin(content: Content, legal: readonly Part[]): Origin | undefined {
  const origin = originOf(content);
  if (!origin) return undefined;
  return sameParts({ parts: (content.parts ?? []).filter((part) => !part?.thought) }, legal) ? origin : undefined;
}

function same(content: Content, responses: readonly Part[], rest: readonly Part[]): boolean {
  return sameParts(content, [...responses, ...rest]);
}

function sameParts(content: Content, parts: readonly Part[]): boolean {
  const own = content.parts ?? [];
  return own.length === parts.length && own.every((part, index) => part === parts[index]);
}
