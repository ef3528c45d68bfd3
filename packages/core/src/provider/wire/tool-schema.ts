/**
 * Declares tools in the form that providers other than Google accept: plain JSON Schema with an object at the root, a
 * legal name and a short description. Pure, and the same bytes each time.
 */

import type { FunctionDeclaration, GenerateContentConfig } from '../../protocol/content.ts';
import { isRecord } from '../../util/is-record.ts';
import { spellName } from './spelling.ts';

export interface DeclaredTool {
  /** As spelled on the wire. */
  name: string;
  description: string;
  schema: ObjectSchema;
}

/** A JSON Schema with an object at the root. */
export interface ObjectSchema {
  type: 'object';
  properties: Record<string, unknown>;
  [keyword: string]: unknown;
}

const MAX_DESCRIPTION = 1_024;
/** Keywords that describe a document, not a value; some servers reject them. */
const DROPPED: ReadonlySet<string> = new Set(['$schema', '$id', 'default', 'examples', 'title']);
const UNIONS = ['anyOf', 'oneOf', 'allOf'] as const;

/** The tools a request offers, in their order. `openSchemas` removes `additionalProperties: false`. */
export function declaredTools(config: GenerateContentConfig, openSchemas = false): DeclaredTool[] {
  const { mode, allowedFunctionNames } = config.toolConfig?.functionCallingConfig ?? {};
  const declarations = (config.tools ?? []).flatMap(({ functionDeclarations = [] }) => functionDeclarations);
  const offered = allowedFunctionNames && mode === 'ANY' ? new Set(allowedFunctionNames) : undefined;
  return declarations
    .filter(({ name = '' }) => !offered || offered.has(name))
    .map((declaration) => toDeclaredTool(declaration, openSchemas));
}

/** The names of all declared tools, as declared. */
export function declaredNames({ tools = [] }: GenerateContentConfig): string[] {
  return tools.flatMap(({ functionDeclarations = [] }) => functionDeclarations.map(({ name = '' }) => name));
}

function toDeclaredTool(declaration: FunctionDeclaration, openSchemas: boolean): DeclaredTool {
  const { name = '', description = '', parametersJsonSchema, parameters } = declaration;
  const schema: unknown = parametersJsonSchema ?? parameters;
  const plain = isRecord(schema) ? plainSchema(schema, openSchemas) : {};
  return {
    name: spellName(name),
    description: description.slice(0, MAX_DESCRIPTION),
    schema: withObjectRoot(plain),
  };
}

function plainSchema(schema: Record<string, unknown>, openSchemas: boolean): Record<string, unknown> {
  const plain: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(schema)) {
    if (DROPPED.has(key) || (openSchemas && key === 'additionalProperties' && value === false)) continue;
    if (key === 'type') plain[key] = plainType(value);
    else if (key === 'properties' && isRecord(value)) plain[key] = plainProperties(value, openSchemas);
    else plain[key] = plainValue(value, openSchemas);
  }
  return plain;
}

/** Names of properties are not keywords. */
function plainProperties(properties: Record<string, unknown>, openSchemas: boolean): Record<string, unknown> {
  return Object.fromEntries(Object.entries(properties).map(([name, value]) => [name, plainValue(value, openSchemas)]));
}

function plainValue(value: unknown, openSchemas: boolean): unknown {
  if (Array.isArray(value)) return value.map((item) => plainValue(item, openSchemas));
  return isRecord(value) ? plainSchema(value, openSchemas) : value;
}

/** Google's dialect writes types in capitals; `["x", "null"]` is an optional x. */
function plainType(type: unknown): unknown {
  if (typeof type === 'string') return type.toLowerCase();
  if (!Array.isArray(type)) return type;
  const others = type.filter((one) => one !== 'null');
  return others.length === 1 ? plainType(others[0]) : others.map(plainType);
}

/** A root that is a union is flattened into one object: no provider accepts a union there. */
function withObjectRoot(schema: Record<string, unknown>): ObjectSchema {
  const branches = UNIONS.flatMap((key) => (Array.isArray(schema[key]) ? schema[key] : [])).filter(isRecord);
  if (branches.length === 0) return { ...schema, type: 'object', properties: recordIn(schema, 'properties') };
  const { anyOf: _anyOf, oneOf: _oneOf, allOf, required, ...rest } = schema;
  const properties = Object.assign({}, ...branches.map((branch) => recordIn(branch, 'properties')));
  // Only what every branch of an `allOf` requires is required of the whole.
  const needed = [required, ...(allOf ? branches.map((branch) => branch['required']) : [])].flat().filter(Boolean);
  return {
    ...rest,
    type: 'object',
    properties: { ...properties, ...recordIn(schema, 'properties') },
    ...(needed.length > 0 && { required: needed }),
  };
}

function recordIn(schema: Record<string, unknown>, key: string): Record<string, unknown> {
  const value = schema[key];
  return isRecord(value) ? value : {};
}
