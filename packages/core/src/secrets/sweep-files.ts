/**
 * Searches what Castor keeps on disk for secrets: by their prefixes, and for the values of secret variables as they are.
 * It reads and reports places, never values, and follows no link.
 */

import { constants, closeSync, fstatSync, openSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { isSecretVariable } from '../util/secret-variables.ts';
import { findSecrets } from './find-secrets.ts';

export interface Leak {
  path: string;
  /** Counted from 1; 0 where the file has no lines. */
  line: number;
  kind: string;
}

export type SecretFinder = (text: string) => { kind: string; start: number }[];

/** A larger file is none of ours. */
const MAX_BYTES = 256 * 1024 * 1024;
const SHORTEST_VALUE = 12;
const ESCAPE = /\\[bfnrt]/;
const ESCAPES = new RegExp(ESCAPE, 'g');
/** Segments are compressed: the store itself reads them. */
const UNREADABLE = /\.(?:seg|sealed|lock|png|jpe?g|webp|gif|pdf)$/;

export function createSecretFinder(environment: Readonly<Record<string, string | undefined>>): SecretFinder {
  const values = Object.entries(environment).flatMap(([name, value]) =>
    value !== undefined && value.length >= SHORTEST_VALUE && isSecretVariable(name, value)
      ? [[name, value] as const]
      : [],
  );
  return (text) => [
    ...findSecrets(text).map(({ kind, start }) => ({ kind, start })),
    ...values.flatMap(([name, value]) => {
      const start = text.indexOf(value);
      return start < 0 ? [] : [{ kind: `the value of ${name}`, start }];
    }),
  ];
}

/** Every file of the folder and below it. */
export function* filesBelow(folder: string): Generator<string> {
  let entries;
  try {
    entries = readdirSync(folder, { withFileTypes: true });
  } catch {
    // Missing, or not ours: there is nothing to find.
    return;
  }
  for (const entry of entries) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) yield* filesBelow(path);
    else if (entry.isFile() && !UNREADABLE.test(entry.name)) yield path;
  }
}

export function sweepFile(path: string, find: SecretFinder): Leak[] {
  const text = readText(path);
  if (text === undefined) return [];
  const found = new Map(find(text).map((each) => [each.start, each]));
  // In JSON the escape of a line end would be part of the word after it; blanks keep the places.
  if (ESCAPE.test(text)) for (const each of find(text.replaceAll(ESCAPES, '  '))) found.set(each.start, each);
  return [...found.values()].map(({ kind, start }) => ({ path, line: lineAt(text, start), kind }));
}

function readText(path: string): string | undefined {
  let file: number | undefined;
  try {
    file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    const found = fstatSync(file);
    return found.isFile() && found.size <= MAX_BYTES ? readFileSync(file, 'utf8') : undefined;
  } catch {
    // Removed in the meantime, or a link.
    return undefined;
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

function lineAt(text: string, start: number): number {
  let line = 1;
  for (let at = text.indexOf('\n'); at >= 0 && at < start; at = text.indexOf('\n', at + 1)) line++;
  return line;
}
