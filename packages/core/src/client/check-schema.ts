/**
 * Checks a JSON schema itself, keyword by keyword: a validator accepts an unknown type or a broken pattern until an
 * answer meets it. Unknown keywords are notes. Pure.
 */

import { isRecord } from '../util/is-record.ts';

export interface SchemaProblem {
  /** The keys that lead to the value. */
  readonly place: readonly (string | number)[];
  readonly message: string;
}

type Place = readonly (string | number)[];
type Check = (value: unknown, place: Place) => SchemaProblem | undefined;

const TYPES = ['string', 'number', 'integer', 'boolean', 'object', 'array', 'null'];
const MAX_DEPTH = 200;

const isText = (value: unknown): value is string => typeof value === 'string';
const isNumber = (value: unknown): value is number => typeof value === 'number';

const mustBe =
  (test: (value: unknown) => boolean, what: string): Check =>
  (value, place) =>
    test(value) ? undefined : { place, message: `${show(value)} is not ${what}` };

const text = mustBe(isText, 'a text');
const flag = mustBe((value) => typeof value === 'boolean', 'true or false');
const number = mustBe(isNumber, 'a number');
const count = mustBe((value) => Number.isInteger(value) && (value as number) >= 0, 'a whole number from 0 on');
const names = mustBe((value) => Array.isArray(value) && value.every(isText), 'a list of names');
const pattern: Check = (value, place) =>
  isText(value) ? patternProblem(value, place) : { place, message: `${show(value)} is not a pattern` };

const CHECKS = new Map<string, Check>([
  ...keywords(['title', 'description', 'format', '$id', '$schema', '$anchor', '$comment', '$dynamicAnchor'], text),
  ...keywords(['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum'], number),
  ...keywords(['minLength', 'maxLength', 'minItems', 'maxItems', 'minProperties', 'maxProperties'], count),
  ...keywords(['minContains', 'maxContains'], count),
  ...keywords(['additionalProperties', 'unevaluatedProperties', 'unevaluatedItems', 'additionalItems'], checkNode),
  ...keywords(['contains', 'propertyNames', 'not', 'if', 'then', 'else'], checkNode),
  ...keywords(['properties', '$defs', 'definitions', 'dependentSchemas'], checkTable),
  ...keywords(['allOf', 'anyOf', 'oneOf', 'prefixItems'], checkList),
  ['type', checkType],
  ['enum', mustBe((value) => Array.isArray(value) && value.length > 0, 'a list of values')],
  ['required', names],
  ['uniqueItems', flag],
  ['multipleOf', mustBe((value) => isNumber(value) && value > 0, 'a number above 0')],
  ['pattern', pattern],
  ['items', (value, place) => (Array.isArray(value) ? checkList(value, place) : checkNode(value, place))],
  ['patternProperties', checkPatterns],
]);

/** The first problem; undefined for a schema that can be used. */
export function checkSchema(schema: unknown): SchemaProblem | undefined {
  return checkNode(schema, []) ?? checkReferences(schema, schema, []);
}

function checkNode(schema: unknown, place: Place): SchemaProblem | undefined {
  if (typeof schema === 'boolean') return undefined;
  if (!isRecord(schema)) return { place, message: `${show(schema)} is not a schema: write an object, true or false` };
  if (place.length > MAX_DEPTH) return { place, message: `the schema is nested more than ${MAX_DEPTH} levels deep` };
  return firstProblem(Object.entries(schema), ([key, value]) => CHECKS.get(key)?.(value, [...place, key]));
}

function checkTable(table: unknown, place: Place): SchemaProblem | undefined {
  if (!isRecord(table)) return { place, message: `${show(table)} is not an object with a schema for each name` };
  return firstProblem(Object.entries(table), ([name, schema]) => checkNode(schema, [...place, name]));
}

function checkPatterns(table: unknown, place: Place): SchemaProblem | undefined {
  const broken = isRecord(table)
    ? firstProblem(Object.keys(table), (name) => patternProblem(name, [...place, name]))
    : undefined;
  return broken ?? checkTable(table, place);
}

function checkList(list: unknown, place: Place): SchemaProblem | undefined {
  if (!Array.isArray(list) || list.length === 0) return { place, message: `${show(list)} is not a list of schemas` };
  return firstProblem(list, (schema: unknown, index) => checkNode(schema, [...place, index]));
}

function checkType(type: unknown, place: Place): SchemaProblem | undefined {
  const all: unknown[] = Array.isArray(type) ? type : [type];
  const isUsable = all.length > 0 && all.every((each) => isText(each) && TYPES.includes(each));
  return isUsable ? undefined : { place, message: `${show(type)} is not a type: write one of ${TYPES.join(', ')}` };
}

function patternProblem(source: string, place: Place): SchemaProblem | undefined {
  try {
    void new RegExp(source, 'u');
    return undefined;
  } catch (error) {
    const why = error instanceof Error ? error.message.replace(/^Invalid regular expression: /, '') : String(error);
    return { place, message: `the pattern is invalid: ${why}` };
  }
}

/** References into the schema lead to a place in it; other documents are not loaded. */
function checkReferences(value: unknown, root: unknown, place: Place): SchemaProblem | undefined {
  if (place.length > MAX_DEPTH) return undefined;
  if (Array.isArray(value)) return firstProblem(value, (each, index) => checkReferences(each, root, [...place, index]));
  if (!isRecord(value)) return undefined;
  const reference = place.at(-1) === 'properties' ? undefined : value['$ref'];
  if (reference !== undefined) {
    const here = [...place, '$ref'];
    if (!isText(reference)) return { place: here, message: `${show(reference)} is not a reference` };
    if (/^#(?:\/|$)/.test(reference) && !leadsSomewhere(reference, root))
      return { place: here, message: `${show(reference)} leads to nothing in the schema` };
    if (
      /^\w+:\/\//.test(reference) &&
      !JSON.stringify(root).includes(`"$id":${JSON.stringify(reference.split('#')[0])}`)
    )
      return { place: here, message: `${show(reference)} is another document, which is not loaded: put it into $defs` };
  }
  const inner = Object.entries(value).filter(([key]) => !['enum', 'const', 'default', 'examples'].includes(key));
  return firstProblem(inner, ([key, each]) => checkReferences(each, root, [...place, key]));
}

function leadsSomewhere(reference: string, root: unknown): boolean {
  let at = root;
  for (const part of reference.split('/').slice(1)) {
    const key = decoded(part).replaceAll('~1', '/').replaceAll('~0', '~');
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, key)) return false;
    at = (at as Record<string, unknown>)[key];
  }
  return isRecord(at) || typeof at === 'boolean';
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    // A sign that is not an escape stands for itself.
    return part;
  }
}

function firstProblem<T>(
  list: readonly T[],
  check: (each: T, index: number) => SchemaProblem | undefined,
): SchemaProblem | undefined {
  for (const [index, each] of list.entries()) {
    const problem = check(each, index);
    if (problem) return problem;
  }
  return undefined;
}

function keywords(list: readonly string[], check: Check): [string, Check][] {
  return list.map((name) => [name, check]);
}

function show(value: unknown): string {
  const words = JSON.stringify(value) ?? 'nothing';
  return words.length > 60 ? `${words.slice(0, 59).toWellFormed()}…` : words;
}
