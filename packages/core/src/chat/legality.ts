/**
 * Validates a conversation before the request is sent: does the service accept it? It only checks;
 * `ConversationBuilder` repaired everything repairable, so a violation here is a bug of ours or of a hook that
 * rewrote the contents.
 */

import type { Content, Part } from '../protocol/content.ts';
import { IllegalConversationError } from '../protocol/errors.ts';
import { isValidPart } from './stream-check.ts';
import { isRecord } from '../util/is-record.ts';

const LEGAL_NAME = /^[A-Za-z_][\w.:-]*$/;

/** Throws for the first violation at or after turn `from`; the turns before it are already validated. */
export function assertLegalConversation(contents: readonly Content[], from = 0): void {
  for (let index = from; index < contents.length; index++) {
    const problem = findProblem(contents, index);
    if (problem) throw new IllegalConversationError(`Not sent: turn ${index + 1} of ${contents.length} ${problem}.`);
  }
  if (contents.length === 0) throw new IllegalConversationError('Not sent: the conversation is empty.');
  if (contents.at(-1)?.role !== 'user') {
    throw new IllegalConversationError('Not sent: the last turn is not a user turn.');
  }
}

function findProblem(contents: readonly Content[], index: number): string | undefined {
  const { role, parts = [] } = contents[index] ?? {};
  const before = contents[index - 1];
  if (role !== 'user' && role !== 'model') return `has the role ${JSON.stringify(role)}`;
  if (parts.length === 0) return 'is empty';
  if (!parts.every(isValidPart)) return 'contains an empty part';
  if (!before && role !== 'user') return 'is the first and not a user turn';
  if (role === 'model') return findCallProblem(parts, before);
  return findResponseProblem(parts, before);
}

function findCallProblem(parts: readonly Part[], before: Content | undefined): string | undefined {
  const calls = parts.flatMap((part) => part.functionCall ?? []);
  if (parts.some((part) => part.functionResponse)) return 'is a model turn with a function response';
  if (calls.length > 0 && before?.role !== 'user') return 'has calls but does not follow a user turn';
  const broken = calls.find((call) => !LEGAL_NAME.test(call.name ?? '') || !isRecord(call.args));
  return broken && `has a malformed call (${JSON.stringify(broken.name)})`;
}

function findResponseProblem(parts: readonly Part[], before: Content | undefined): string | undefined {
  const responses = parts.flatMap((part) => part.functionResponse ?? []);
  const calls = (before?.role === 'model' ? (before.parts ?? []) : []).flatMap((part) => part.functionCall ?? []);
  if (parts.some((part) => part.functionCall)) return 'is a user turn with a function call';
  if (responses.some((response) => !isRecord(response.response))) return 'has a response that is not an object';
  if (responses.length !== calls.length) return `answers ${responses.length} of ${calls.length} calls`;
  const open = calls.map(toKey);
  const stray = responses.find((response) => !takeFrom(open, toKey(response)));
  return stray && `has a response without a matching call (${JSON.stringify(stray.name)})`;
}

function toKey({ id, name }: { id?: string; name?: string }): string {
  return JSON.stringify([id, name]);
}

function takeFrom(list: string[], item: string): boolean {
  const index = list.indexOf(item);
  if (index >= 0) list.splice(index, 1);
  return index >= 0;
}
