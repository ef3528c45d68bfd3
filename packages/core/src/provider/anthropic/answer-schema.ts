/**
 * The schema of an answer in the part of JSON Schema that Anthropic enforces. Limits it does not know are left out, and
 * the answer is checked against the whole schema all the same; a schema that would change its meaning is not sent.
 */

import { isRecord } from '../../util/is-record.ts';

type Schema = Record<string, unknown>;

const KEPT: ReadonlySet<string> = new Set([
  ...['type', 'enum', 'const', 'description', 'title', 'default', '$ref', 'required', 'additionalProperties'],
]);
const FORMATS: ReadonlySet<unknown> = new Set([
  ...['date-time', 'time', 'date', 'duration', 'email', 'hostname', 'uri', 'ipv4', 'ipv6', 'uuid'],
]);
/** With these, no closed object says the same. */
const INEXPRESSIBLE = ['allOf', 'patternProperties'];

/** Undefined: the schema can only be asked for in words. */
export function toAnthropicSchema(schema: unknown): Schema | undefined {
  if (schema === undefined) return undefined;
  try {
    return enforced(schema);
  } catch (error) {
    if (error instanceof Inexpressible) return undefined;
    throw error;
  }
}

class Inexpressible extends Error {}

function enforced(schema: unknown): Schema {
  if (!isRecord(schema) || INEXPRESSIBLE.some((keyword) => schema[keyword] !== undefined)) throw new Inexpressible();
  const kept: Schema = {};
  for (const [keyword, value] of Object.entries(schema)) {
    if (KEPT.has(keyword)) kept[keyword] = value;
    else if (keyword === 'format' && FORMATS.has(value)) kept[keyword] = value;
    else if (keyword === 'minItems' && (value === 0 || value === 1)) kept[keyword] = value;
    else if (keyword === 'items') kept[keyword] = enforced(value);
    else if (keyword === 'properties' || keyword === '$defs' || keyword === 'definitions') kept[keyword] = named(value);
    else if (keyword === 'anyOf' || keyword === 'oneOf') kept['anyOf'] = alternatives(value);
  }
  if (!isObjectSchema(schema)) return kept;
  // A closed object and a closed alternative of it reject each other's properties.
  if (kept['anyOf']) throw new Inexpressible();
  close(kept);
  return kept;
}

function isObjectSchema({ type, properties }: Schema): boolean {
  return properties !== undefined || type === 'object' || (Array.isArray(type) && type.includes('object'));
}

/** Anthropic enforces closed objects only; a closed answer is valid in an open schema that names every property. */
function close(schema: Schema): void {
  const { properties = {}, required = [], additionalProperties } = schema;
  const isOpen = additionalProperties === undefined || additionalProperties === true;
  if (!isOpen && additionalProperties !== false) throw new Inexpressible();
  const names = Object.keys(properties as Schema);
  if (isOpen && names.length === 0) throw new Inexpressible();
  if (!Array.isArray(required) || !required.every((name) => names.includes(String(name)))) throw new Inexpressible();
  schema['additionalProperties'] = false;
}

function named(value: unknown): Schema {
  if (!isRecord(value)) throw new Inexpressible();
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, enforced(one)]));
}

function alternatives(value: unknown): Schema[] {
  if (!Array.isArray(value)) throw new Inexpressible();
  return value.map(enforced);
}
