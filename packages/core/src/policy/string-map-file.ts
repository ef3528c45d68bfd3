/**
 * Reads and edits a JSON object from text to text, comments and trailing commas allowed.
 * An edit changes only the bytes of its entry; any other JSON is rejected.
 */

import { createJson, editJson } from '../util/edit-json.ts';
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

/** The text with one entry set; undefined when the text is not such an object. */
export function editStringMap(text: string, key: string, value: string): string | undefined {
  if (text.trim() === '') return createJson([key], value);
  const root = parseObject(text);
  const entries = toEntries(root);
  if (root === undefined || entries === undefined) return undefined;
  const present = entries.findLast((entry) => entry.key === key);
  return present?.value === value ? text : editJson({ source: text, root, path: [key], value });
}

function parseObject(text: string): JsonObjectNode | undefined {
  try {
    const root = parseJsonNode(text);
    return root?.kind === 'object' ? root : undefined;
  } catch (error) {
    if (error instanceof JsonMistake) return undefined;
    throw error;
  }
}

function toEntries(root: JsonObjectNode | undefined): StringEntry[] | undefined {
  const entries = root?.entries.flatMap(({ key, node }) =>
    node.kind === 'scalar' && typeof node.value === 'string' ? [{ key, value: node.value }] : [],
  );
  return entries?.length === root?.entries.length ? entries : undefined;
}
