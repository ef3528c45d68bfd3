/**
 * Sets or removes one value in a text of JSON with comments. Only the span of that value,
 * and its comma, changes; every other byte stays: comments, order, line ends, indentation,
 * the byte order mark. A list that only grows is appended to. The caller has validated the
 * text.
 */

import { isDeepStrictEqual } from 'node:util';
import { findEntry, toValue } from './json-with-comments.ts';
import type { JsonEntry, JsonNode, JsonObjectNode } from './json-with-comments.ts';

type Span = Pick<JsonNode, 'start' | 'end'>;

interface TextEdit {
  start: number;
  end: number;
  text: string;
}

export interface JsonEdit {
  source: string;
  root: JsonNode;
  path: readonly string[];
  /** Undefined removes the value. */
  value: unknown;
}

/** Undefined when a parent of the value is not an object. */
export function editJson({ source, root, path, value }: JsonEdit): string | undefined {
  if (root.kind !== 'object') return undefined;
  const style = detectStyle(source, root);
  const present = findEntry(root, path);
  if (value === undefined) return present === undefined ? source : apply(source, removal(source, present));
  if (present === undefined) return insert(source, root, { path, value, style });
  const { node, start } = present.entry;
  const grown = addToList(source, node, value, style);
  if (grown !== undefined) return grown;
  const text = serialize(value, style, indentAt(source, start));
  return apply(source, [{ start: node.start, end: node.end, text }]);
}

/** Undefined when the value is not the list with items appended. */
function addToList(source: string, list: JsonNode, value: unknown, style: Style): string | undefined {
  const last = list.kind === 'list' ? list.items.at(-1) : undefined;
  if (list.kind !== 'list' || !last || !Array.isArray(value) || value.length <= list.items.length) return undefined;
  if (!list.items.every((item, index) => isDeepStrictEqual(toValue(item), value[index]))) return undefined;
  const added: unknown[] = value.slice(list.items.length);
  const write = (indent: string) => added.map((item) => serialize(item, style, indent));
  return apply(source, afterLast(source, { parent: list, last, style, write }));
}

/** The text of a file with only this value. */
export function createJson(path: readonly string[], value: unknown): string {
  return `${serialize(nest(path, value), { unit: '  ', newline: '\n' }, '')}\n`;
}

interface Style {
  unit: string;
  newline: string;
}

function detectStyle(source: string, { entries: [first] }: JsonObjectNode): Style {
  const newline = /\r\n|\n|\r/.exec(source)?.[0] ?? '\n';
  const unit = first === undefined ? '' : indentAt(source, first.start);
  return { unit: /^(?:\t+| +)$/.test(unit) ? unit : '  ', newline };
}

interface Insertion {
  path: readonly string[];
  value: unknown;
  style: Style;
}

function insert(source: string, root: JsonObjectNode, { path, value, style }: Insertion): string | undefined {
  let parent = root;
  let depth = 0;
  for (; depth < path.length - 1; depth += 1) {
    const next: JsonNode | undefined = findEntry(parent, path.slice(depth, depth + 1))?.entry.node;
    if (next === undefined) break;
    if (next.kind !== 'object') return undefined;
    parent = next;
  }
  const [key = '', ...rest] = path.slice(depth);
  const entry = { key, value: nest(rest, value), style };
  const last = parent.entries.at(-1);
  if (last === undefined) return apply(source, [intoEmpty(source, parent, entry)]);
  const write = (indent: string) => [`${JSON.stringify(key)}: ${serialize(entry.value, style, indent)}`];
  return apply(source, afterLast(source, { parent, last, style, write }));
}

interface NewEntry {
  key: string;
  value: unknown;
  style: Style;
}

function intoEmpty(source: string, parent: JsonObjectNode, { key, value, style }: NewEntry): TextEdit {
  const close = parent.end - 1;
  const outer = indentAt(source, parent.start);
  const inner = outer + style.unit;
  // Comments inside the object stay before the entry.
  const start = parent.start + 1 + source.slice(parent.start + 1, close).trimEnd().length;
  const entry = `${style.newline}${inner}${JSON.stringify(key)}: ${serialize(value, style, inner)}`;
  const blank = source.slice(start, close);
  return { start, end: close, text: /[\r\n]/.test(blank) ? entry + blank : `${entry}${style.newline}${outer}` };
}

interface Addition {
  parent: Span;
  /** The current last entry. */
  last: Span;
  style: Style;
  /** The texts of the new entries, for lines with this indent. */
  write(indent: string): string[];
}

function afterLast(source: string, { parent, last, style, write }: Addition): TextEdit[] {
  const close = parent.end - 1;
  const comma = commaIn(source.slice(last.end, close));
  const from = last.end + (comma ?? -1) + 1;
  const needed: TextEdit[] = comma === undefined ? [{ start: last.end, end: last.end, text: ',' }] : [];
  const isOneLine = !/[\r\n]/.test(source.slice(parent.start, last.start));
  const start = isOneLine ? from : endOfLine(source, from, close);
  const indent = indentAt(source, isOneLine ? parent.start : last.start);
  const lead = isOneLine ? ' ' : style.newline + indent;
  const text = write(indent).map((one) => lead + one);
  return [...needed, { start, end: start, text: text.join(',') }];
}

/** The offset after the comments on the entry's line, which belong to the entry. */
function endOfLine(source: string, from: number, limit: number): number {
  const trivia = /(?:[ \t]*(?:\/\*(?:[^*]|\*(?!\/))*\*\/|\/\/[^\r\n]*))*/y;
  trivia.lastIndex = from;
  trivia.test(source);
  const end = Math.min(trivia.lastIndex, limit);
  return /^[ \t]*(?:[\r\n]|$)/.test(source.slice(end, limit)) ? end : from;
}

/** The offset of the comma after an entry, skipping comments. */
function commaIn(trivia: string): number | undefined {
  const comma = /^(?:\s|\/\/[^\r\n]*(?=[\r\n]|$)|\/\*(?:[^*]|\*(?!\/))*\*\/)*,/.exec(trivia)?.[0];
  return comma === undefined ? undefined : comma.length - 1;
}

function removal(source: string, { entry, parent }: { entry: JsonEntry; parent: JsonObjectNode }): TextEdit[] {
  const index = parent.entries.indexOf(entry);
  const [before, after] = [parent.entries[index - 1], parent.entries[index + 1]];
  const { start, end } = entry;
  const comma = commaIn(source.slice(end, after?.start ?? parent.end - 1));
  if (comma === 0) return [wholeLine(source, start, end + 1)];
  const own = wholeLine(source, start, end);
  // Comments between the entry and its comma stay.
  if (comma !== undefined) return [own, { start: end + comma, end: end + comma + 1, text: '' }];
  const stale = before === undefined ? undefined : commaIn(source.slice(before.end, start));
  if (before === undefined || stale === undefined) return [own];
  // The entry before becomes the last one: remove its comma.
  const at = before.end + stale;
  return [{ start: at, end: at + 1, text: '' }, own];
}

/** Includes the line if it contains nothing else. */
function wholeLine(source: string, start: number, end: number): TextEdit {
  const before = /[ \t]*$/.exec(source.slice(0, start))?.[0] ?? '';
  const after = /^[ \t]*(?:\r\n|\n|\r)/.exec(source.slice(end))?.[0];
  const lineStart = start - before.length;
  const isAlone = after !== undefined && /[\r\n]/.test(source.charAt(lineStart - 1));
  return isAlone ? { start: lineStart, end: end + after.length, text: '' } : { start, end, text: '' };
}

/** Of two edits at the same offset the first comes first. */
function apply(source: string, edits: readonly TextEdit[]): string {
  let text = source;
  for (const edit of edits.toReversed().toSorted((left, right) => right.start - left.start)) {
    text = text.slice(0, edit.start) + edit.text + text.slice(edit.end);
  }
  return text;
}

function serialize(value: unknown, { unit, newline }: Style, indent: string): string {
  return JSON.stringify(value, null, unit).replaceAll('\n', newline + indent);
}

function nest(path: readonly string[], value: unknown): unknown {
  return path.reduceRight<unknown>((inner, key) => ({ [key]: inner }), value);
}

/** The blanks at the start of the line. */
function indentAt(source: string, offset: number): string {
  const lineStart = Math.max(source.lastIndexOf('\n', offset - 1), source.lastIndexOf('\r', offset - 1)) + 1;
  return /^[ \t]*/.exec(source.slice(lineStart, offset).replace(/^\ufeff/, ''))?.[0] ?? '';
}
