import { describe, expect, it } from 'vitest';
import { toAnthropicSchema } from './answer-schema.ts';

describe('toAnthropicSchema', () => {
  it.each<[string, unknown, unknown]>([
    ['a closed object', { type: 'object', properties: {}, additionalProperties: false }, 'same'],
    [
      'definitions and formats',
      { $ref: '#/$defs/a', $defs: { a: { type: 'array', minItems: 1, items: { type: 'string', format: 'date' } } } },
      'same',
    ],
    [
      'limits inside a list',
      { type: 'array', minItems: 2, items: { type: 'number', minimum: 1, multipleOf: 2 } },
      { type: 'array', items: { type: 'number' } },
    ],
    [
      'an open object',
      { type: ['object', 'null'], properties: { minimum: { type: 'string' } } },
      { type: ['object', 'null'], properties: { minimum: { type: 'string' } }, additionalProperties: false },
    ],
    [
      'alternatives',
      { oneOf: [{ type: 'string' }, { type: 'null' }] },
      { anyOf: [{ type: 'string' }, { type: 'null' }] },
    ],
  ])('keeps the meaning of %s', (_name, schema, expected) => {
    expect(toAnthropicSchema(schema)).toEqual(expected === 'same' ? schema : expected);
  });

  it.each<[string, unknown]>([
    ['an object with alternatives', { type: 'object', anyOf: [{ properties: { a: {} } }] }],
    ['properties by pattern', { type: 'object', properties: { a: {} }, patternProperties: { b: {} } }],
    ['a map inside a list', { type: 'array', items: { type: 'object', additionalProperties: { type: 'string' } } }],
    ['a schema that is true', { type: 'object', properties: { a: true } }],
  ])('has no form for %s', (_name, schema) => {
    expect(toAnthropicSchema(schema)).toBeUndefined();
  });
});
