/**
 * Parses the text of a settings file and finds the lines of its values. A syntax error names
 * file, line and column; both count from 1.
 */

import { findEntry, JsonMistake, parseJsonNode, toValue } from '../util/json-with-comments.ts';
import type { JsonNode } from '../util/json-with-comments.ts';
import { SettingsError } from './settings-error.ts';
import { isRecord } from '../util/is-record.ts';

/** `what`: what the file holds. A blank file is an empty object. Throws a SettingsError for anything that is not an object. */
export function parseJsonText(path: string, source: string, what = 'settings'): Record<string, unknown> {
  const value = parsePlainly(source) ?? parseTolerantly(path, source, what);
  if (isRecord(value)) return value;
  const found = Array.isArray(value) ? 'a list' : String(value);
  throw mistake({ path, source, what }, 0, `expected an object, { … }, and found ${found}`);
}

/** The usual case, some twenty times as fast. */
function parsePlainly(source: string): unknown {
  try {
    return JSON.parse(source.startsWith('\ufeff') ? source.slice(1) : source) as unknown;
  } catch {
    // Comments or a syntax error: the tolerant parser distinguishes them.
    return undefined;
  }
}

function parseTolerantly(path: string, source: string, what: string): unknown {
  const root = parseJsonTree(path, source, what);
  return root === undefined ? {} : toValue(root);
}

/** Undefined for a text that consists of comments only. Throws a SettingsError. */
export function parseJsonTree(path: string, source: string, what = 'settings'): JsonNode | undefined {
  try {
    return parseJsonNode(source);
  } catch (error) {
    if (error instanceof JsonMistake) throw mistake({ path, source, what }, error.offset, error.message, error);
    throw error;
  }
}

interface ParsedFile {
  readonly path: string;
  readonly source: string;
  readonly what: string;
}

function mistake({ path, source, what }: ParsedFile, offset: number, expected: string, cause?: Error): SettingsError {
  const { line, column } = positionOf(source, offset);
  // Without a settings file Castor starts; other files were asked for.
  const advice = what === 'settings' ? 'Correct this place, or remove the file.' : 'Correct this place.';
  return new SettingsError(`${path}:${line}:${column}: invalid ${what}: ${expected}. ${advice}`, {
    path,
    line,
    column,
    cause,
  });
}

function positionOf(source: string, offset: number): { line: number; column: number } {
  const lines = source
    .slice(0, offset)
    .replace(/^\ufeff/, '')
    .split(/\r\n|\r|\n/);
  return { line: lines.length, column: (lines.at(-1)?.length ?? 0) + 1 };
}

/** The line of a value, or of its closest existing parent. */
export function lineOf(path: string, source: string, keys: readonly (string | number)[]): number {
  let node = parseJsonTree(path, source);
  let start = node?.start ?? 0;
  for (const key of keys) {
    const entry = typeof key === 'string' ? findEntry(node, [key])?.entry : undefined;
    const item: JsonNode | undefined = node?.kind === 'list' ? node.items[Number(key)] : entry?.node;
    if (item === undefined) break;
    start = entry?.start ?? item.start;
    node = item;
  }
  return positionOf(source, start).line;
}
