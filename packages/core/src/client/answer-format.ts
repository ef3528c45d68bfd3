/**
 * The format of a structured answer: a JSON schema that the last turn of every prompt must match. It says what the
 * model is told, and what is wrong with an answer. Loaded only where a schema is given.
 */

import { Validator } from '@cfworker/json-schema';
import type { Schema } from '@cfworker/json-schema';
import { checkSchema } from './check-schema.ts';
import { isRecord } from '../util/is-record.ts';

export interface AnswerFormat {
  readonly schema: Readonly<Record<string, unknown>>;
  /** Told to the model with every prompt. */
  readonly instruction: string;
  /** What is wrong with an answer, for the model; undefined for a valid one. */
  problemOf(text: string): string | undefined;
}

/** A schema that cannot be used; the message says why, and names the place. */
export class AnswerSchemaError extends Error {
  override readonly name = 'AnswerSchemaError';
  /** The keys that lead to what is wrong. */
  readonly place: readonly (string | number)[];

  constructor(message: string, place: readonly (string | number)[] = []) {
    super(place.length === 0 ? message : `${place.join('.')}: ${message}`);
    this.place = place;
  }
}

const FENCE = /^[^\S\n]*```(?:json)?[^\S\n]*\n([\s\S]*?)\n?[^\S\n]*```[^\S\n]*$/gim;
const MAX_SCHEMA = 100_000;
const MAX_PROBLEMS = 5;
const MAX_PROBLEM = 300;

/** Throws an AnswerSchemaError. */
export function createAnswerFormat(schema: unknown): AnswerFormat {
  if (!isRecord(schema)) throw new AnswerSchemaError('A schema must be a JSON object.');
  const text = JSON.stringify(schema);
  if (text.length > MAX_SCHEMA) throw new AnswerSchemaError(`The schema has more than ${MAX_SCHEMA} characters.`);
  const problem = checkSchema(schema);
  if (problem) throw new AnswerSchemaError(`${problem.message}.`, problem.place);
  const validate = compile(schema);
  return {
    schema,
    instruction:
      'When you have finished, your last message must be the answer as JSON and nothing else: no other words and no ' +
      `code fence. It must be valid against this JSON schema:\n${text}`,
    problemOf(answer) {
      let value: unknown;
      try {
        value = parseAnswer(answer);
      } catch {
        return 'It is not JSON.';
      }
      return validate(value);
    },
  };
}

/** The JSON of an answer, also of one in a code fence, with words around it. Throws for anything else. */
export function parseAnswer(text: string): unknown {
  const [fenced, ...others] = text.matchAll(FENCE);
  // Of several blocks none is the answer.
  return JSON.parse((others.length === 0 ? fenced?.[1] : undefined) ?? text.trim());
}

function compile(schema: Record<string, unknown>): (value: unknown) => string | undefined {
  let validator: Validator;
  try {
    validator = new Validator(schema as Schema, '2020-12', false);
    // A reference that leads nowhere is found only when it is followed.
    for (const sample of [null, {}, [], '', 0]) validator.validate(sample);
  } catch (error) {
    throw new AnswerSchemaError(`The schema is invalid: ${error instanceof Error ? error.message : String(error)}`);
  }
  return (value) => {
    const { valid, errors } = validator.validate(value);
    if (valid) return undefined;
    // The innermost come last, and they name the value that is wrong.
    const problems = errors.toReversed().map(({ instanceLocation, error }) => `${instanceLocation}: ${error}`);
    return [...new Set(problems)]
      .slice(0, MAX_PROBLEMS)
      .map((problem) => problem.slice(0, MAX_PROBLEM).toWellFormed())
      .join('\n');
  };
}
