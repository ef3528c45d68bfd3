/**
 * The messages a program may write to stdin with `--input-format stream-json`, one object per line: their types and
 * their parser. It executes nothing; an error names the line and what was expected.
 */

import { isRecord, parseApprovalMode } from '@castor/core/program';
import type { ApprovalMode, ConfirmationPayload, FallbackIntent, ToolConfirmationOutcome } from '@castor/core';
import type { InputLine } from './input-lines.ts';

export type InputMessage =
  | { type: 'prompt'; content: string }
  | { type: 'steer'; content: string }
  | { type: 'approval'; callId: string; outcome: ToolConfirmationOutcome; payload: ConfirmationPayload }
  | { type: 'fallback'; requestId: string; intent: FallbackIntent }
  | { type: 'set_approval_mode'; mode: ApprovalMode }
  | { type: 'interrupt' }
  | { type: 'end' };

/** An invalid line. */
export class InputMessageError extends Error {
  override readonly name = 'InputMessageError';
}

type Fields = Record<string, unknown>;

const OUTCOMES: readonly ToolConfirmationOutcome[] = [
  'proceed_once',
  'proceed_always',
  'proceed_always_and_save',
  'proceed_always_server',
  'proceed_always_tool',
  'modify_with_editor',
  'cancel',
];
const INTENTS: readonly FallbackIntent[] = ['retry_always', 'retry_once', 'retry_later', 'stop'];

const READERS: Readonly<Record<string, (fields: Fields) => InputMessage>> = {
  prompt: (fields) => ({ type: 'prompt', content: text(fields, 'content') }),
  // In the form the program writes itself, so that its output can be sent in again.
  message: (fields) => {
    if (fields['role'] !== undefined && fields['role'] !== 'user') throw expected('role', '"user"');
    return { type: 'prompt', content: text(fields, 'content') };
  },
  steer: (fields) => ({ type: 'steer', content: text(fields, 'content') }),
  approval: (fields) => ({
    type: 'approval',
    callId: text(fields, 'tool_id'),
    outcome: oneOf(fields, 'outcome', OUTCOMES),
    payload: toPayload(fields),
  }),
  fallback: (fields) => ({
    type: 'fallback',
    requestId: text(fields, 'request_id'),
    intent: oneOf(fields, 'intent', INTENTS),
  }),
  set_approval_mode: (fields) => {
    const mode = parseApprovalMode(text(fields, 'mode'));
    if (mode === undefined) throw expected('mode', 'default, auto_edit, yolo or plan');
    return { type: 'set_approval_mode', mode };
  },
  interrupt: () => ({ type: 'interrupt' }),
  end: () => ({ type: 'end' }),
};

/** Undefined for an empty line. Throws InputMessageError. */
export function readMessage({ number, text: line }: InputLine): InputMessage | undefined {
  if (line?.trim() === '') return undefined;
  try {
    const fields = parse(line);
    const type = typeof fields['type'] === 'string' ? fields['type'] : '';
    if (!Object.hasOwn(READERS, type)) throw expected('type', Object.keys(READERS).join(', '));
    return READERS[type]?.(fields);
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    throw new InputMessageError(`Line ${number} of the input is invalid: ${error.message}`, { cause: error });
  }
}

function parse(line: string | undefined): Fields {
  if (line === undefined) throw new Error('it is longer than 8 MiB.');
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch (error) {
    throw new Error('it is not JSON; expected one object per line.', { cause: error });
  }
  if (!isRecord(value)) throw new Error('expected a JSON object.');
  return value;
}

function toPayload(fields: Fields): ConfirmationPayload {
  const { answers } = fields;
  if (answers !== undefined && !isTextRecord(answers)) throw expected('answers', 'an object of strings');
  const feedback = optionalText(fields, 'feedback');
  const newContent = optionalText(fields, 'new_content');
  return {
    ...(feedback !== undefined && { feedback }),
    ...(newContent !== undefined && { newContent }),
    ...(answers !== undefined && { answers }),
    ...(typeof fields['approved'] === 'boolean' && { approved: fields['approved'] }),
  };
}

function text(fields: Fields, name: string): string {
  const value = optionalText(fields, name);
  if (value === undefined || value === '') throw expected(name, 'a string');
  return value;
}

function optionalText(fields: Fields, name: string): string | undefined {
  const value = fields[name];
  if (value === undefined || typeof value === 'string') return value;
  throw expected(name, 'a string');
}

function oneOf<T extends string>(fields: Fields, name: string, known: readonly T[]): T {
  const value = known.find((each) => each === fields[name]);
  if (value === undefined) throw expected(name, known.join(', '));
  return value;
}

function isTextRecord(value: unknown): value is Record<string, string> {
  return isRecord(value) && Object.values(value).every((each) => typeof each === 'string');
}

function expected(name: string, what: string): Error {
  return new Error(`"${name}" must be ${what.includes(', ') ? `one of ${what}` : what}.`);
}
