/**
 * Validates a conversation like the service, written from the rules and independent of the product's checker, so that
 * one mistake cannot hide in both. It reads untrusted JSON and never throws; every broken rule is reported.
 */

import { isObject } from './json-object.ts';

export type ConversationRule =
  | 'shape'
  | 'role'
  | 'empty_turn'
  | 'empty_part'
  | 'first_turn'
  | 'last_turn'
  | 'call_place'
  | 'call_answers'
  | 'response_place'
  | 'arguments'
  | 'response'
  | 'name'
  | 'signature';

/** One broken rule. Turns count from 1. */
export interface ConversationViolation {
  readonly turn: number;
  readonly rule: ConversationRule;
  readonly message: string;
}

interface TurnView {
  readonly number: number;
  readonly role: unknown;
  readonly parts: readonly Record<string, unknown>[];
  readonly calls: readonly Record<string, unknown>[];
  readonly responses: readonly Record<string, unknown>[];
}

type Report = (turn: number, rule: ConversationRule, message: string) => void;

const NAME = /^[A-Za-z_][\w.:-]*$/;
const SIGNED_MODELS = /^gemini-3/;
const PAYLOADS = [
  'text',
  'inlineData',
  'fileData',
  'functionCall',
  'functionResponse',
  'executableCode',
  'codeExecutionResult',
];
const PART_KEYS = new Set([...PAYLOADS, 'thought', 'thoughtSignature', 'videoMetadata', 'mediaResolution']);
const TURN_KEYS = new Set(['role', 'parts']);
const CALL_KEYS = new Set(['id', 'name', 'args']);
const RESPONSE_KEYS = new Set(['id', 'name', 'response', 'parts', 'willContinue', 'scheduling']);

/** All rules this conversation breaks for this model, in order of turns; none means legal. */
export function findConversationViolations(contents: unknown, model = ''): ConversationViolation[] {
  const violations: ConversationViolation[] = [];
  const report: Report = (turn, rule, message) => violations.push({ turn, rule, message });
  if (!Array.isArray(contents) || contents.length === 0) {
    report(1, 'shape', 'contents is not a list of at least one turn');
    return violations;
  }
  const turns = contents.map((content: unknown, index) => viewTurn(content, index + 1, report));
  checkEnds(turns, report);
  turns.forEach((turn, index) => checkCalls(turn, turns[index - 1], turns[index + 1], report));
  if (SIGNED_MODELS.test(model)) checkSignatures(turns, report);
  return violations.sort((left, right) => left.turn - right.turn);
}

function viewTurn(content: unknown, number: number, report: Report): TurnView {
  if (!isObject(content)) {
    report(number, 'shape', 'the turn is not an object');
    return { number, role: undefined, parts: [], calls: [], responses: [] };
  }
  checkKeys(content, TURN_KEYS, 'the turn', (message) => report(number, 'shape', message));
  if (content['role'] !== 'user' && content['role'] !== 'model') {
    report(number, 'role', `the role is ${JSON.stringify(content['role'])}, not user or model`);
  }
  const listed: unknown = content['parts'];
  if (!Array.isArray(listed) || listed.length === 0) report(number, 'empty_turn', 'the turn has no parts');
  const parts = (Array.isArray(listed) ? listed : []).filter((part: unknown) => isLegalPart(part, number, report));
  const payloads = (key: string) =>
    parts.map((part) => part[key]).filter((payload): payload is Record<string, unknown> => isObject(payload));
  return {
    number,
    role: content['role'],
    parts,
    calls: payloads('functionCall'),
    responses: payloads('functionResponse'),
  };
}

function isLegalPart(part: unknown, turn: number, report: Report): part is Record<string, unknown> {
  if (!isObject(part)) {
    report(turn, 'shape', 'a part is not an object');
    return false;
  }
  checkKeys(part, PART_KEYS, 'a part', (message) => report(turn, 'shape', message));
  const present = PAYLOADS.filter((key) => part[key] !== undefined);
  if (present.length === 0) report(turn, 'empty_part', 'a part holds nothing');
  if (present.length > 1) report(turn, 'shape', `a part holds both ${present.join(' and ')}`);
  // The service itself sends a signature on an empty text, and accepts it back.
  if (part['text'] === '' && !part['thoughtSignature']) report(turn, 'empty_part', 'a part holds an empty text');
  for (const key of present) {
    const isRight = key === 'text' ? typeof part[key] === 'string' : isObject(part[key]);
    if (!isRight) report(turn, 'shape', `the ${key} of a part is of the wrong type`);
  }
  return true;
}

function checkKeys(value: object, known: ReadonlySet<string>, what: string, report: (message: string) => void): void {
  for (const key of Object.keys(value)) {
    if (!known.has(key)) report(`${what} has the unknown field ${JSON.stringify(key)}`);
  }
}

function checkEnds(turns: readonly TurnView[], report: Report): void {
  const last = turns.length;
  if (turns[0]?.role !== 'user') report(1, 'first_turn', 'the first turn is not of the user');
  if (turns[last - 1]?.role !== 'user') report(last, 'last_turn', 'the last turn is not of the user');
}

function checkCalls(turn: TurnView, before: TurnView | undefined, after: TurnView | undefined, report: Report): void {
  const { number, calls, responses } = turn;
  for (const call of calls) checkCall(call, number, report);
  for (const response of responses) checkResponse(response, number, report);
  if (calls.length > 0) {
    if (turn.role !== 'model') report(number, 'call_place', 'a call stands in a turn that is not of the model');
    if (before?.role !== 'user')
      report(number, 'call_place', 'a turn with calls does not come right after a user turn');
    checkAnswers(turn, after, report);
  }
  if (responses.length > 0) {
    if (turn.role !== 'user') report(number, 'response_place', 'a response stands in a turn that is not of the user');
    if (!before || before.calls.length === 0) {
      report(number, 'response_place', 'responses do not come right after the turn with their calls');
    }
  }
}

function checkCall(call: Record<string, unknown>, turn: number, report: Report): void {
  checkKeys(call, CALL_KEYS, 'a call', (message) => report(turn, 'shape', message));
  checkName(call['name'], 'call', turn, report);
  if (!isObject(call['args']))
    report(turn, 'arguments', `the args of ${JSON.stringify(call['name'])} are not an object`);
}

function checkResponse(response: Record<string, unknown>, turn: number, report: Report): void {
  checkKeys(response, RESPONSE_KEYS, 'a response', (message) => report(turn, 'shape', message));
  checkName(response['name'], 'response', turn, report);
  if (!isObject(response['response'])) {
    report(turn, 'response', `the response of ${JSON.stringify(response['name'])} is not an object`);
  }
}

function checkName(name: unknown, what: string, turn: number, report: Report): void {
  if (typeof name !== 'string' || !NAME.test(name)) {
    report(turn, 'name', `${JSON.stringify(name)} is not a name for a ${what}`);
  }
}

function checkAnswers(turn: TurnView, after: TurnView | undefined, report: Report): void {
  const { number, calls } = turn;
  if (!after) return report(number, 'call_answers', `${calls.length} calls are not answered`);
  const { responses } = after;
  if (responses.length !== calls.length) {
    return report(number, 'call_answers', `${calls.length} calls are followed by ${responses.length} responses`);
  }
  const answered = responses.map(identity);
  for (const call of calls) {
    const place = answered.indexOf(identity(call));
    if (place < 0) report(number, 'call_answers', `no response has the name and id of the call ${identity(call)}`);
    else answered.splice(place, 1);
  }
}

/** What a call and its response must have in common; a missing id equals a missing id only. */
function identity(value: Record<string, unknown>): string {
  return JSON.stringify([value['name'], value['id'] ?? null]);
}

function checkSignatures(turns: readonly TurnView[], report: Report): void {
  const start = turns.findLastIndex(
    (turn) =>
      turn.role === 'user' &&
      turn.responses.length === 0 &&
      turn.parts.some((part) => typeof part['text'] === 'string'),
  );
  if (start < 0) return;
  for (const turn of turns.slice(start + 1)) {
    const first = turn.parts.find((part) => part['functionCall'] !== undefined);
    if (first && (typeof first['thoughtSignature'] !== 'string' || first['thoughtSignature'] === '')) {
      report(turn.number, 'signature', 'the first call of a step of the current turn has no thoughtSignature');
    }
  }
}
