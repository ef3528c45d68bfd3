/** Reads a JSON object of strings, comments and trailing commas allowed; any other JSON is rejected. */

import { JsonMistake, parseJsonNode } from '../util/json-with-comments.ts';
import type { JsonObjectNode } from '../util/json-with-comments.ts';

export interface StringEntry {
  key: string;
  value: string;
}

/** Undefined when the text is not such an object. An empty file is an empty object. */
export function parseStringMap(text: string): StringEntry[] | undefined {
  return text.trim() === '' ? [] : toEntries(parseObject(text));
}

/** Undefined when the text is not an object. */
export function parseObject(text: string): JsonObjectNode | undefined {
  try {
    const root = parseJsonNode(text);
    return root?.kind === 'object' ? root : undefined;
  } catch (error) {
    if (error instanceof JsonMistake) return undefined;
    throw error;
  }
}

/** Undefined when a value is not a string. */
export function toEntries(root: JsonObjectNode | undefined): StringEntry[] | undefined {
  const entries = root?.entries.flatMap(({ key, node }) =>
    node.kind === 'scalar' && typeof node.value === 'string' ? [{ key, value: node.value }] : [],
  );
  return entries?.length === root?.entries.length ? entries : undefined;
}
