/**
 * Converts the input schema of an MCP tool to one that model APIs and our validator accept: references are replaced by
 * their targets, a reference to itself ends in any value, unknown formats and invalid keywords are dropped. A schema
 * only becomes wider: the server still checks the arguments. Pure, and the same bytes each time.
 */

import { isRecord } from '../util/is-record.ts';
import { cleanDescription } from './clean-text.ts';

export interface ToolSchema {
  /** As the model reads it: `null` in a list of types is written as `nullable`. */
  declared: Record<string, unknown>;
  /** As calls are checked against it. */
  checked: Record<string, unknown>;
}

const MAX_DEPTH = 24;
/** Places in a schema; replacing references may multiply them. */
const MAX_NODES = 4_000;
const MAX_CHARACTERS = 64 * 1024;
/** A deeper one ends the stack of whatever reads it. */
const MAX_NESTING = 500;
const MAX_DESCRIPTION = 2_000;

const FORMATS: ReadonlySet<string> = new Set(
  'date-time date time duration email hostname ipv4 ipv6 uri uri-reference uuid int32 int64 float double'.split(' '),
);
const SINGLE = ['items', 'additionalProperties', 'not', 'contains', 'propertyNames', 'if', 'then', 'else'] as const;
const LISTS = ['allOf', 'anyOf', 'oneOf', 'prefixItems'] as const;
const MAPS = ['properties', 'patternProperties', 'dependentSchemas'] as const;
const NUMBERS = [
  ...['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf', 'minLength', 'maxLength', 'minItems'],
  ...['maxItems', 'minProperties', 'maxProperties'],
] as const;
const TYPES: ReadonlySet<string> = new Set(['string', 'number', 'integer', 'boolean', 'array', 'object', 'null']);

/** Returns the reason, worded to follow the tool's name, for a schema that no request can contain. */
export function toToolSchema(input: unknown): ToolSchema | string {
  const root = isRecord(input) ? input : {};
  if (isTooDeep(root)) return `its schema is nested more than ${MAX_NESTING} deep`;
  const types = typesOf(root);
  if (types !== undefined && !types.includes('object')) return 'its arguments are not an object';
  try {
    const checked = asObject(new SchemaReader(root, false).read());
    const declared = asObject(new SchemaReader(root, true).read());
    const size = JSON.stringify(declared).length;
    return size > MAX_CHARACTERS
      ? `its schema has ${size} characters; the limit is ${MAX_CHARACTERS}`
      : { declared, checked };
  } catch (error) {
    if (error instanceof SchemaTooLarge) return `its schema has more than ${MAX_NODES} places`;
    throw error;
  }
}

/** Without recursion. */
function isTooDeep(root: object): boolean {
  let level: object[] = [root];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > MAX_NESTING) return true;
    level = level.flatMap((node) =>
      Object.values(node).filter((value): value is object => typeof value === 'object' && value !== null),
    );
  }
  return false;
}

class SchemaTooLarge extends Error {}

function asObject(schema: Record<string, unknown>): Record<string, unknown> {
  const { type: _type, nullable: _nullable, properties = {}, ...rest } = schema;
  return { type: 'object', properties, ...rest };
}

class SchemaReader {
  private readonly root: Record<string, unknown>;
  private readonly writesNullable: boolean;
  private nodes = 0;

  constructor(root: Record<string, unknown>, writesNullable: boolean) {
    this.root = root;
    this.writesNullable = writesNullable;
  }

  read(): Record<string, unknown> {
    return this.convert(this.root, new Set(), 0);
  }

  /** `above` holds the targets being replaced: one that occurs again refers to itself. */
  private convert(given: unknown, above: ReadonlySet<unknown>, depth: number): Record<string, unknown> {
    if (++this.nodes > MAX_NODES) throw new SchemaTooLarge();
    if (!isRecord(given) || depth > MAX_DEPTH || above.has(given)) return {};
    const here = new Set(above).add(given);
    const { $ref, ...beside } = given;
    if (typeof $ref === 'string') {
      const target = this.convert(this.resolve($ref), here, depth + 1);
      return { ...target, ...this.keywords(beside, here, depth) };
    }
    return this.keywords(given, here, depth);
  }

  private keywords(
    given: Record<string, unknown>,
    above: ReadonlySet<unknown>,
    depth: number,
  ): Record<string, unknown> {
    const below = (value: unknown) => this.convert(value, above, depth + 1);
    const result: Record<string, unknown> = { ...this.typeOf(given), ...plainKeywords(given) };
    for (const key of MAPS) {
      const map = given[key];
      if (!isRecord(map)) continue;
      const entries = Object.entries(map).filter(([name, value]) => value !== false && name !== '__proto__');
      result[key] = Object.fromEntries(entries.map(([name, value]) => [name, below(value)]));
    }
    for (const key of SINGLE) {
      const value = given[key];
      if (typeof value === 'boolean' && key === 'additionalProperties') result[key] = value;
      else if (isRecord(value)) result[key] = below(value);
      // A list of items is the older spelling of prefixItems.
      else if (key === 'items' && Array.isArray(value)) result['prefixItems'] = value.map(below);
    }
    for (const key of LISTS) {
      const list = given[key];
      if (Array.isArray(list) && list.length > 0) result[key] = list.map(below);
    }
    const required = requiredOf(given, result['properties']);
    if (required.length > 0) result['required'] = required;
    return result;
  }

  private typeOf(given: Record<string, unknown>): Record<string, unknown> {
    const types = typesOf(given);
    if (types === undefined || types.length === 0) return {};
    const others = types.filter((type) => type !== 'null');
    if (this.writesNullable && others.length === 1 && types.length === 2) return { type: others[0], nullable: true };
    return { type: types.length === 1 ? types[0] : types };
  }

  private resolve(reference: string): unknown {
    if (reference === '#' || reference === '#/') return this.root;
    if (!reference.startsWith('#/')) return undefined;
    const keys = reference
      .slice(2)
      .split('/')
      .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'));
    return keys.reduce<unknown>((node, key) => {
      if (Array.isArray(node)) return node[Number(key)] as unknown;
      return isRecord(node) && Object.hasOwn(node, key) ? node[key] : undefined;
    }, this.root);
  }
}

function typesOf({ type }: Record<string, unknown>): string[] | undefined {
  if (type === undefined) return undefined;
  const named = (Array.isArray(type) ? type : [type]) as unknown[];
  return [...new Set(named.filter((name): name is string => typeof name === 'string' && TYPES.has(name)))];
}

/** Keywords without schemas in them; a value of the wrong type is dropped. */
function plainKeywords(given: Record<string, unknown>): Record<string, unknown> {
  const { title, description, format, pattern, uniqueItems, default: preset } = given;
  const choices = given['enum'];
  const numbers = NUMBERS.flatMap((key) => (Number.isFinite(given[key]) ? [[key, given[key]]] : []));
  return {
    ...(typeof title === 'string' && { title: cleanDescription(title, MAX_DESCRIPTION) }),
    ...(typeof description === 'string' && { description: cleanDescription(description, MAX_DESCRIPTION) }),
    ...(Array.isArray(choices) && choices.length > 0 && { enum: choices }),
    ...(Object.hasOwn(given, 'const') && { const: given['const'] }),
    ...(preset !== undefined && { default: preset }),
    ...(typeof format === 'string' && FORMATS.has(format) && { format }),
    ...(typeof pattern === 'string' && isPattern(pattern) && { pattern }),
    ...(typeof uniqueItems === 'boolean' && { uniqueItems }),
    ...(Object.fromEntries(numbers) as Record<string, unknown>),
  };
}

/** An API rejects a required name without a property. */
function requiredOf({ required }: Record<string, unknown>, properties: unknown): string[] {
  if (!Array.isArray(required)) return [];
  const names = new Set(required.filter((name): name is string => typeof name === 'string'));
  return [...names].filter((name) => isRecord(properties) && Object.hasOwn(properties, name));
}

function isPattern(text: string): boolean {
  try {
    return new RegExp(text, 'u') instanceof RegExp;
  } catch {
    // A pattern of another dialect cannot be checked here.
    return false;
  }
}
