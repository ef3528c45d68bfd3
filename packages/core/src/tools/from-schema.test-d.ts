/**
 * The types that FromSchema and defineTool read off a schema. Checked by the compiler in `npm run check`; nothing of it
 * runs.
 */

import type { DefinedTool } from '../protocol/tools.ts';
import { defineTool } from './define-tool.ts';
import type { ArgsOf, FromSchema } from './from-schema.ts';

/** Compiles only where both types are the same. */
type Same<A, B> =
  (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? (A extends B ? true : false) : false;
type Check<T extends true> = T;

export type Simple = [
  Check<Same<FromSchema<{ type: 'string' }>, string>>,
  Check<Same<FromSchema<{ type: 'number' }>, number>>,
  Check<Same<FromSchema<{ type: 'integer' }>, number>>,
  Check<Same<FromSchema<{ type: 'boolean' }>, boolean>>,
  Check<Same<FromSchema<{ type: 'null' }>, null>>,
  Check<Same<FromSchema<{ type: readonly ['string', 'null'] }>, string | null>>,
  Check<Same<FromSchema<{ type: 'string'; nullable: true }>, string | null>>,
  Check<Same<FromSchema<{ type: 'string'; enum: readonly ['a', 'b'] }>, 'a' | 'b'>>,
  Check<Same<FromSchema<{ const: 3 }>, 3>>,
  Check<Same<FromSchema<{ anyOf: readonly [{ type: 'string' }, { type: 'number' }] }>, string | number>>,
  Check<Same<FromSchema<{ oneOf: readonly [{ const: 'x' }, { type: 'boolean' }] }>, 'x' | boolean>>,
];

export type Nested = [
  Check<Same<FromSchema<{ type: 'array'; items: { type: 'string' } }>, string[]>>,
  Check<Same<FromSchema<{ type: 'array' }>, unknown[]>>,
  Check<Same<FromSchema<{ type: 'object' }>, Record<string, unknown>>>,
  Check<
    Same<
      FromSchema<{
        readonly type: 'object';
        readonly properties: { readonly a: { type: 'string' }; readonly b: { type: 'integer' } };
        readonly required: readonly ['a'];
      }>,
      { a: string; b?: number }
    >
  >,
];

export type Unreadable = [
  Check<Same<FromSchema<{ $ref: '#/definitions/a' }>, unknown>>,
  Check<Same<FromSchema<{ type: string }>, unknown>>,
  Check<Same<FromSchema<Record<string, unknown>>, unknown>>,
  Check<Same<ArgsOf<Record<string, unknown>>, Record<string, unknown>>>,
  Check<Same<ArgsOf<{ type: 'string' }>, Record<string, unknown>>>,
  // A list of names that is not a literal requires nothing.
  Check<
    Same<FromSchema<{ type: 'object'; properties: { a: { type: 'string' } }; required: string[] }>, { a?: string }>
  >,
];

/** Four members are enough, and `args` has the type of the schema. */
export const four: DefinedTool = defineTool({
  name: 'mark',
  description: 'Marks lines.',
  schema: {
    type: 'object',
    properties: {
      path: { type: 'string' },
      lines: { type: 'array', items: { type: 'integer' } },
      as: { enum: ['seen', 'done'] },
      note: { anyOf: [{ type: 'string' }, { type: 'null' }] },
      place: { type: 'object', properties: { column: { type: 'number' } }, required: ['column'] },
    },
    required: ['path', 'as'],
  },
  execute(args) {
    const exact: Check<
      Same<
        typeof args,
        { path: string; as: 'seen' | 'done'; lines?: number[]; note?: string | null; place?: { column: number } }
      >
    > = true;
    // @ts-expect-error The schema has no such property.
    const absent: unknown = args.colour;
    // @ts-expect-error It may be left out.
    const present: number = args.lines.length;
    return String([exact, absent, present]);
  },
});

export const generator: DefinedTool = defineTool({
  name: 'walk',
  description: 'Walks.',
  schema: { type: 'object', properties: { steps: { type: 'integer' } }, required: ['steps'] },
  async *execute({ steps }) {
    for (let step = 1; step <= steps; step++) yield `${step}\n`;
    return { llmContent: 'walked' };
  },
});

export const wrong: DefinedTool = defineTool({
  name: 'wrong',
  description: 'Returns a number.',
  schema: { type: 'object' },
  // @ts-expect-error A result is a string or a ToolResult.
  execute: () => 3,
});

/** A schema that only a run knows gives a plain record. */
export function fromOutside(schema: Record<string, unknown>): DefinedTool {
  return defineTool({ name: 'any', description: '', schema, execute: (args) => Object.keys(args).join() });
}
