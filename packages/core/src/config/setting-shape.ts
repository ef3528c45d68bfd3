/**
 * Defines the shape of a setting's value, the part of JSON Schema that settings need, and the
 * one function that fits any JSON to it. Its result always has the shape, so that code that
 * reads a setting never meets an invalid value.
 */

import { isRecord } from '../util/is-record.ts';
import { shorten } from '../util/short-text.ts';

export interface Shape {
  type?: 'boolean' | 'string' | 'number' | 'integer' | 'array' | 'object';
  enum?: readonly string[];
  minimum?: number;
  maximum?: number;
  items?: Shape;
  properties?: Readonly<Record<string, Shape>>;
  /** The shape of every property that `properties` does not name; absent allows any value. */
  additionalProperties?: Shape;
  anyOf?: readonly Shape[];
}

export interface ShapeProblem {
  /** Relative to the setting; empty for the setting itself. */
  path: readonly (string | number)[];
  expected: string;
  got: string;
  /** What is used instead; undefined for nothing. */
  used?: unknown;
}

/** `undefined` when no part of the value is valid. */
export interface Fitted {
  value: unknown;
  problems: ShapeProblem[];
}

/**
 * The valid part of the value: each invalid item is dropped and reported. A string that
 * contains a number or a boolean is converted, as is a number where a text is expected, and a single
 * string becomes a list of one: that is the evident intent, and a variable can hold only strings.
 */
export function fitShape(value: unknown, shape: Shape): Fitted {
  const problems: ShapeProblem[] = [];
  return { value: fit(value, shape, [], problems), problems };
}

type Path = readonly (string | number)[];

function fit(value: unknown, shape: Shape, path: Path, problems: ShapeProblem[]): unknown {
  if (shape.anyOf !== undefined) return fitAny(value, shape.anyOf, path, problems);
  if (shape.type === undefined) return value;
  if (shape.type === 'array') return fitList(value, shape, path, problems);
  if (shape.type === 'object') return fitObject(value, shape, path, problems);
  if (fitsScalar(value, shape)) return value;
  const used = readAs(value, shape);
  problems.push({ path, expected: describeShape(shape), got: describeValue(value), used });
  return used;
}

/** The first shape that fits; else the first that fits in part. */
function fitAny(value: unknown, shapes: readonly Shape[], path: Path, problems: ShapeProblem[]): unknown {
  const attempts = shapes.map((shape) => {
    const found: ShapeProblem[] = [];
    return { value: fit(value, shape, path, found), found, isKind: isKindOf(value, shape) };
  });
  const best =
    attempts.find(({ found }) => found.length === 0) ??
    attempts.find(({ isKind, value: part }) => isKind && part !== undefined);
  if (best !== undefined) {
    problems.push(...best.found);
    return best.value;
  }
  problems.push({ path, expected: describeShape({ anyOf: shapes }), got: describeValue(value) });
  return undefined;
}

function fitList(value: unknown, shape: Shape, path: Path, problems: ShapeProblem[]): unknown {
  const { items = {} } = shape;
  if (!Array.isArray(value)) {
    const used = items.type === 'string' && fitsScalar(value, items) ? [value] : undefined;
    problems.push({ path, expected: describeShape(shape), got: describeValue(value), used });
    return used;
  }
  return value
    .map((item: unknown, index) => fit(item, items, [...path, index], problems))
    .filter((item) => item !== undefined);
}

function fitObject(value: unknown, shape: Shape, path: Path, problems: ShapeProblem[]): unknown {
  if (!isRecord(value)) {
    problems.push({ path, expected: describeShape(shape), got: describeValue(value) });
    return undefined;
  }
  const result: Record<string, unknown> = {};
  for (const [key, item] of Object.entries(value)) {
    const inner = ownShape(shape.properties, key) ?? shape.additionalProperties ?? {};
    const fitted = fit(item, inner, [...path, key], problems);
    if (fitted !== undefined) result[key] = fitted;
  }
  return result;
}

function ownShape(properties: Shape['properties'], key: string): Shape | undefined {
  return properties !== undefined && Object.hasOwn(properties, key) ? properties[key] : undefined;
}

function fitsScalar(value: unknown, shape: Shape): boolean {
  if (!isKindOf(value, shape)) return false;
  if (shape.enum !== undefined) return shape.enum.includes(value as string);
  if (typeof value !== 'number') return true;
  return value >= (shape.minimum ?? -Infinity) && value <= (shape.maximum ?? Infinity);
}

function isKindOf(value: unknown, { type }: Shape): boolean {
  if (type === undefined) return true;
  if (type === 'integer') return Number.isInteger(value);
  if (type === 'array') return Array.isArray(value);
  return type === 'object' ? isRecord(value) : typeof value === type;
}

function readAs(value: unknown, shape: Shape): unknown {
  if (shape.type === 'string' && shape.enum === undefined)
    return typeof value === 'number' || typeof value === 'boolean' ? String(value) : undefined;
  if (typeof value !== 'string') return undefined;
  const text = value.trim().toLowerCase();
  if (shape.type === 'boolean') return text === 'true' ? true : text === 'false' ? false : undefined;
  if (shape.type !== 'number' && shape.type !== 'integer') return undefined;
  const number = text === '' ? NaN : Number(text);
  return fitsScalar(number, shape) && Number.isFinite(number) ? number : undefined;
}

export function describeShape(shape: Shape): string {
  if (shape.anyOf !== undefined) return shape.anyOf.map(describeShape).join(' or ');
  if (shape.enum !== undefined) return `one of ${shape.enum.map((value) => JSON.stringify(value)).join(', ')}`;
  switch (shape.type) {
    case undefined:
      return 'anything';
    case 'boolean':
      return 'true or false';
    case 'array':
      return shape.items?.type === 'string' ? 'a list of strings' : 'a list';
    case 'object':
      return 'an object';
    case 'string':
      return 'a string';
    default:
      return describeNumber(shape);
  }
}

function describeNumber({ type, minimum, maximum }: Shape): string {
  const kind = type === 'integer' ? 'a whole number' : 'a number';
  if (minimum !== undefined && maximum !== undefined) return `${kind} from ${minimum} to ${maximum}`;
  if (minimum !== undefined) return `${kind} of at least ${minimum}`;
  return maximum === undefined ? kind : `${kind} of at most ${maximum}`;
}

const MAX_SHOWN = 60;

function describeValue(value: unknown): string {
  if (Array.isArray(value)) return 'a list';
  if (isRecord(value)) return 'an object';
  const text = JSON.stringify(value) ?? String(value);
  return shorten(text, MAX_SHOWN);
}
