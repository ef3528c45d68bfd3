/** Forms and pages that servers ask for: what is read, what is refused, and which answers fit. */

import { describe, expect, it } from 'vitest';
import type { FormField } from '../protocol/server-questions.ts';
import { readElicitation, readFormText } from './elicitation.ts';

const form = (properties: object, required: string[] = []) => ({
  message: 'Please',
  requestedSchema: { type: 'object', properties, required },
});

function fieldOf(schema: object, { name = 'x', required = false } = {}): FormField {
  const question = readElicitation('one', form({ [name]: schema }, required ? [name] : []));
  if (question.type !== 'form') throw new Error('not a form');
  return question.fields[0]!;
}

describe('a field', () => {
  it.each<[string, object, Partial<FormField>]>([
    ['text', { type: 'string', title: 'Name', minLength: 2 }, { kind: 'text', title: 'Name', minLength: 2 }],
    ['text without a type', {}, { kind: 'text', title: 'x' }],
    ['a number', { type: 'number', minimum: 1, default: 3 }, { kind: 'number', minimum: 1, preset: 3 }],
    ['a whole number', { type: 'integer' }, { kind: 'integer' }],
    ['yes or no', { type: 'boolean', default: true }, { kind: 'boolean', preset: true }],
    [
      'a choice with names',
      { type: 'string', enum: ['r', 'g'], enumNames: ['Red', 'Green'] },
      {
        kind: 'choice',
        options: [
          { value: 'r', label: 'Red' },
          { value: 'g', label: 'Green' },
        ],
      },
    ],
    [
      'a titled choice',
      { type: 'string', oneOf: [{ const: 'r', title: 'Red' }] },
      { kind: 'choice', options: [{ value: 'r', label: 'Red' }] },
    ],
    [
      'several choices',
      { type: 'array', items: { type: 'string', enum: ['a', 'b'] }, minItems: 1 },
      {
        kind: 'choices',
        minItems: 1,
        options: [
          { value: 'a', label: 'a' },
          { value: 'b', label: 'b' },
        ],
      },
    ],
    ['words without escapes', { type: 'string', title: 'a\u001B[2J\nb' }, { title: 'a b' }],
    ['a default of another type', { type: 'number', default: 'x' }, { preset: undefined }],
  ])('is %s', (_name, schema, expected) => {
    expect(fieldOf(schema)).toMatchObject(expected);
  });

  it.each([
    [{ type: 'string', title: 'Your password' }, true],
    [{ type: 'string', description: 'An API key of your account' }, true],
    [{ type: 'string', title: 'City' }, false],
    [{ type: 'boolean', title: 'Store the token?' }, false],
  ])('%j looks like a secret: %j', (schema, isSecret) => {
    expect(fieldOf(schema).isSecret).toBe(isSecret);
  });
});

it.each<[string, object, string]>([
  ['an object', { type: 'object' }, 'The field x has an unsupported type.'],
  ['a list of texts', { type: 'array', items: { type: 'string' } }, 'The field x has an unsupported type.'],
])('a field that is %s is refused', (_name, schema, message) => {
  expect(() => fieldOf(schema)).toThrow(message);
});

it.each<[object, string]>([
  [{ message: 'x' }, 'requestedSchema must be an object schema'],
  [{ mode: 'hologram' }, 'Unsupported mode of elicitation.'],
  [{ mode: 'url', url: 'javascript:alert(1)' }, 'url must be an http or https address.'],
  [{ mode: 'url', url: 'file:///etc/passwd' }, 'url must be an http or https address.'],
  [{ mode: 'url' }, 'url must be an http or https address.'],
])('%j is refused', (params, message) => {
  expect(() => readElicitation('one', params as Record<string, unknown>)).toThrow(message);
});

it('a page is shown as it is parsed', () => {
  const question = readElicitation('one', { mode: 'url', message: 'm', url: 'https://a.example\\@evil.example/x' });
  expect(question).toEqual({ type: 'url', server: 'one', message: 'm', url: 'https://a.example/@evil.example/x' });
});

describe('an answer', () => {
  it.each<[object, string, unknown]>([
    [{ type: 'string' }, 'hi', 'hi'],
    [{ type: 'string' }, '', undefined],
    [{ type: 'number' }, '1.5', 1.5],
    [{ type: 'integer', minimum: 1, maximum: 9 }, '9', 9],
    [{ type: 'string', format: 'email' }, 'a@b.cd', 'a@b.cd'],
    [{ type: 'string', format: 'date' }, '2026-11-17', '2026-11-17'],
    [{ type: 'string', format: 'uri' }, 'https://a.example', 'https://a.example'],
    [{ type: 'string', format: 'odd' }, 'any', 'any'],
    [{ type: 'string', enum: ['a'] }, 'a', 'a'],
  ])('to %j may be %j', (schema, text, expected) => {
    expect(readFormText(fieldOf(schema), text)).toBe(expected);
  });

  it.each<[object, string, string]>([
    [{ type: 'number' }, 'x', 'Enter a number.'],
    [{ type: 'integer' }, '1.5', 'Enter a whole number.'],
    [{ type: 'integer', minimum: 1, maximum: 9 }, '10', 'Enter a number from 1 to 9.'],
    [{ type: 'string', minLength: 3 }, 'ab', 'Enter a text of a length of at least 3.'],
    [{ type: 'string', maxLength: 3 }, 'abcd', 'Enter a text of a length of at most 3.'],
    [{ type: 'string', format: 'email' }, 'nope', 'Enter a text of the form email.'],
    [{ type: 'string', enum: ['a'] }, 'b', 'Choose one of the answers.'],
  ])('to %j is not %j', (schema, text, problem) => {
    expect(() => readFormText(fieldOf(schema), text)).toThrow(problem);
  });

  it('to a required field is not empty', () => {
    expect(() => readFormText(fieldOf({ type: 'string' }, { required: true }), '')).toThrow('An answer is required.');
  });
});
