/** Schemas of servers that a model API or our validator would reject. */

import { Validator } from '@cfworker/json-schema';
import { describe, expect, it } from 'vitest';
import { hasCycleInSchema } from '../chat/schema-hint.ts';
import { isToolWanted, toToolName } from './tool-name.ts';
import { selectServers } from './select-servers.ts';
import { toToolSchema } from './tool-schema.ts';

function convert(schema: unknown) {
  const found = toToolSchema(schema);
  if (typeof found === 'string') throw new Error(found);
  return found;
}

const TREE = {
  type: 'object',
  properties: { root: { $ref: '#/$defs/node' } },
  $defs: { node: { type: 'object', properties: { name: { type: 'string' }, child: { $ref: '#/$defs/node' } } } },
};

describe('a schema becomes', () => {
  it.each<[string, unknown, unknown]>([
    ['missing', undefined, { type: 'object', properties: {} }],
    ['empty', {}, { type: 'object', properties: {} }],
    ['a list', [], { type: 'object', properties: {} }],
    ['true', true, { type: 'object', properties: {} }],
    [
      'with itself inside',
      TREE,
      { type: 'object', properties: { root: { type: 'object', properties: { name: { type: 'string' }, child: {} } } } },
    ],
    [
      'with its root inside',
      { type: 'object', properties: { again: { $ref: '#' } } },
      { type: 'object', properties: { again: {} } },
    ],
    [
      'with a reference to a missing or foreign place',
      { type: 'object', properties: { a: { $ref: '#/no' }, b: { $ref: 'https://x/y', description: 'B' } } },
      { type: 'object', properties: { a: {}, b: { description: 'B' } } },
    ],
    [
      'with unknown formats, types and keywords',
      {
        $schema: 'x',
        type: 'object',
        properties: {
          format: { type: 'string', format: 'date-time' },
          $ref: { type: 'string', format: 'nonsense' },
          odd: { type: 'money', minimum: 'x', pattern: '(', enum: [], 'x-ui': 1 },
          never: false,
        },
        required: ['format', 'gone', 1, 'never'],
      },
      {
        type: 'object',
        properties: { format: { type: 'string', format: 'date-time' }, $ref: { type: 'string' }, odd: {} },
        required: ['format'],
      },
    ],
    [
      'with null among the types',
      { type: 'object', properties: { a: { type: ['string', 'null'] }, b: { type: ['string', 'number'] } } },
      { type: 'object', properties: { a: { type: 'string', nullable: true }, b: { type: ['string', 'number'] } } },
    ],
    [
      'with hidden text in a description',
      { type: 'object', properties: { a: { description: 'A\u001B]0;x\u0007\u200B \u{E0041}b' } } },
      { type: 'object', properties: { a: { description: 'A b' } } },
    ],
    [
      'with choices at the root',
      {
        anyOf: [
          { type: 'object', properties: { a: {} } },
          { type: 'object', properties: { b: {} } },
        ],
      },
      {
        type: 'object',
        properties: {},
        anyOf: [
          { type: 'object', properties: { a: {} } },
          { type: 'object', properties: { b: {} } },
        ],
      },
    ],
  ])('%s', (_name, schema, declared) => {
    const found = convert(schema);
    expect(found.declared).toEqual(declared);
    expect(hasCycleInSchema(found.declared)).toBe(false);
    // Neither throws, whatever the server wrote.
    new Validator(found.checked, '2020-12', false).validate({ a: null });
  });
});

it('accepts null where the server does', () => {
  const { checked } = convert({ type: 'object', properties: { a: { type: ['string', 'null'] } } });
  expect(new Validator(checked, '2020-12', false).validate({ a: null }).valid).toBe(true);
});

it('gives the same bytes each time', () => {
  expect(JSON.stringify(convert(TREE).declared)).toBe(JSON.stringify(convert(structuredClone(TREE)).declared));
});

it('rejects what no request can contain', () => {
  const doubling = Object.fromEntries(
    Array.from({ length: 30 }, (_, level) => {
      const next = { $ref: `#/$defs/l${level + 1}` };
      return [`l${level}`, { type: 'object', properties: { a: next, b: next } }];
    }),
  );
  const many = Object.fromEntries(Array.from({ length: 3_900 }, (_, index) => [`property_number_${index}`, {}]));
  expect(toToolSchema({ type: 'string' })).toBe('its arguments are not an object');
  expect(toToolSchema({ type: 'object', properties: { a: { $ref: '#/$defs/l0' } }, $defs: doubling })).toBe(
    'its schema has more than 4000 places',
  );
  const deep = Array.from({ length: 20_000 }).reduce<object>((inner) => ({ items: inner }), {});
  expect(toToolSchema(deep)).toBe('its schema is nested more than 500 deep');
  expect(toToolSchema({ type: 'object', properties: many })).toMatch(/^its schema has \d+ characters; the limit is/);
});

it.each([
  ['files', 'read', 'mcp_files_read'],
  ['my server!', 'lies/über', 'mcp_my_server__lies__ber'],
  ['mcp_x', 'y', 'mcp_x_y'],
  ['a.b:c-d', 'E_1', 'mcp_a.b:c-d_E_1'],
  ['s', 'x'.repeat(57), `mcp_s_${'x'.repeat(57)}`],
  ['s', 'x'.repeat(58), `mcp_s_${'x'.repeat(24)}...${'x'.repeat(30)}`],
])('names the tool of %s, %s: %s', (server, tool, name) => {
  expect(toToolName(server, tool)).toBe(name);
  expect(name.length).toBeLessThanOrEqual(63);
});

it.each([
  [{}, ['a', 'b', 'c']],
  [{ includeTools: ['a', 'b(x)'] }, ['a', 'b']],
  [{ includeTools: ['a', 'b'], excludeTools: ['a'] }, ['b']],
  [{ includeTools: [] }, []],
])('offers the tools that %j leaves', (lists, left) => {
  const servers = { s: { command: 'x', ...lists } };
  const [server] = selectServers([{ source: 'user', servers, written: servers }]).servers;
  expect(['a', 'b', 'c'].filter((tool) => isToolWanted(tool, server!))).toEqual(left);
});
