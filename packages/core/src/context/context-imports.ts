/**
 * Resolves `@path` imports in a context file: inserts the named file's text in place (tree) or
 * appends it, each file once (flat). References in code stay text. Imports come from allowed
 * directories only, checked on real paths, up to five levels deep; deeper references stay text.
 * Each file is imported once, which also ends every cycle.
 */

import path from 'node:path';
import { findCode } from './context-code-regions.ts';
import { readContextFile } from './context-reader.ts';
import type { ReadContextFile } from './context-reader.ts';

export interface ImportOptions {
  /** The file's name in warnings. */
  name: string;
  format: 'tree' | 'flat';
  allowedRoots: readonly string[];
  /** Imports beyond this total are rejected. */
  maxCharacters: number;
}

export interface ResolvedImports {
  text: string;
  warnings: string[];
}

interface Reference {
  start: number;
  end: number;
  target: string;
}

interface State extends ImportOptions {
  warnings: string[];
  /** Real paths of the imported files. */
  taken: Set<string>;
  characters: number;
  attempts: number;
  /** For `flat`: the files in the order of their first reference. */
  flat: { path: string; text: string }[];
}

const MAX_DEPTH = 5;
const MAX_IMPORTS = 1000;
/** The longest possible path. */
const MAX_TARGET = 4096;
const MAX_WARNINGS = 10;
const REFERENCE = /(?<=^|\s)@([A-Za-z./]\S*)/g;
/** Trailing characters that end the sentence, not the name. */
const PUNCTUATION = `.,;:!?)]}>'"`;

export async function resolveImports(file: ReadContextFile, options: ImportOptions): Promise<ResolvedImports> {
  const state: State = {
    ...options,
    warnings: [],
    taken: new Set([file.path]),
    characters: file.text.length,
    attempts: 0,
    flat: [],
  };
  const text = await importInto(file, 0, state);
  if (state.attempts > MAX_IMPORTS) {
    state.warnings.push(`${options.name} has more than ${MAX_IMPORTS} imports; the rest stays text.`);
  }
  const warnings = shorten(state.warnings, options.name);
  if (options.format === 'tree' || state.flat.length === 0) return { text, warnings };
  const files = [{ path: file.path, text: file.text }, ...state.flat].map(
    (each) => `--- File: ${each.path} ---\n${each.text.trim()}\n--- End of File: ${each.path} ---`,
  );
  return { text: files.join('\n\n'), warnings };
}

function shorten(warnings: readonly string[], name: string): string[] {
  if (warnings.length <= MAX_WARNINGS) return [...warnings];
  const left = warnings.length - MAX_WARNINGS;
  return [...warnings.slice(0, MAX_WARNINGS), `${name}: ${left} more warnings of this kind.`];
}

async function importInto(file: ReadContextFile, depth: number, state: State): Promise<string> {
  if (depth >= MAX_DEPTH) return file.text;
  let result = '';
  let position = 0;
  for (const reference of findReferences(file.text)) {
    const replacement = await importOne(reference, file, depth, state);
    if (replacement === undefined) continue;
    result += file.text.slice(position, reference.start) + replacement;
    position = reference.end;
  }
  return result + file.text.slice(position);
}

/** The replacement for the reference; undefined when the reference stays as it is. */
async function importOne(
  { start, target }: Reference,
  from: ReadContextFile,
  depth: number,
  state: State,
): Promise<string | undefined> {
  if (++state.attempts > MAX_IMPORTS) return undefined;
  const file = await readContextFile(path.resolve(path.dirname(from.path), target), state.allowedRoots);
  if ('reason' in file && file.isMissing && !isMeantAsFile(target)) return undefined;
  const reason = 'reason' in file ? file.reason : refuse(file, state);
  if (reason !== undefined || 'reason' in file) {
    const where = depth === 0 ? state.name : from.path;
    state.warnings.push(`${where}, line ${countLines(from.text, start)}: ${target} was not imported: ${reason}.`);
    return state.format === 'tree' ? `<!-- Import failed: ${target} - ${reason} -->` : undefined;
  }
  const isTaken = state.taken.has(file.path);
  if (isTaken) return state.format === 'tree' ? `<!-- File already processed: ${target} -->` : undefined;
  state.taken.add(file.path);
  state.characters += file.text.length;
  state.warnings.push(...file.remarks.map((remark) => `${file.path} ${remark}.`));
  if (state.format === 'flat') {
    state.flat.push(file);
    await importInto(file, depth + 1, state);
    return undefined;
  }
  const text = await importInto(file, depth + 1, state);
  return `<!-- Imported from: ${target} -->\n${text.trimEnd()}\n<!-- End of import from: ${target} -->`;
}

function refuse(file: ReadContextFile, state: State): string | undefined {
  if (state.taken.has(file.path)) return undefined;
  if (state.characters + file.text.length > state.maxCharacters) return 'the context files together are too large';
  return undefined;
}

/** `@types/node` and `@alice` are plain words unless such a file exists. */
function isMeantAsFile(target: string): boolean {
  return /^\.{0,2}\//.test(target) || /\.(?:md|mdx|markdown|txt)$/i.test(target);
}

function findReferences(text: string): Reference[] {
  const references: Reference[] = [];
  const code = findCode(text);
  let next = 0;
  for (const { 1: word = '', index } of text.matchAll(REFERENCE)) {
    while (next < code.length && code[next]!.end <= index) next++;
    if (code[next] && code[next]!.start <= index) continue;
    const target = trimEnd(word);
    if (target === '' || target.length > MAX_TARGET || target.includes('://') || /^[./]*$/.test(target)) continue;
    references.push({ start: index, end: index + 1 + target.length, target });
  }
  return references;
}

function trimEnd(word: string): string {
  let end = word.length;
  while (end > 0 && PUNCTUATION.includes(word[end - 1]!)) end--;
  return word.slice(0, end);
}

function countLines(text: string, end: number): number {
  let line = 1;
  for (let at = text.indexOf('\n'); at !== -1 && at < end; at = text.indexOf('\n', at + 1)) line++;
  return line;
}
