/**
 * Decides which files of an installed extension can be its own data, such as a log, a data base or a token that it
 * writes beside its program: no loader reads them, and no interpreter runs them (docs/decisions/0096). Pure.
 */

import { basename, extname } from 'node:path';
import type { TreeEntry } from './tree-digest.ts';

const SUFFIXES: ReadonlySet<string> = new Set([
  ...['.csv', '.db', '.json', '.jsonl', '.lock', '.log', '.pid', '.tmp', '.txt'],
  ...['.sqlite', '.sqlite-journal', '.sqlite-shm', '.sqlite-wal', '.sqlite3', '.db-journal', '.db-shm', '.db-wal'],
]);
/** They tell an interpreter what to load. */
const STEERING: ReadonlySet<string> = new Set([
  ...['composer.json', 'deno.json', 'deno.lock', 'jsconfig.json', 'package-lock.json', 'package.json', 'tsconfig.json'],
  ...['gemini-extension.json', '.gemini-extension-install.json', 'requirements.txt'],
]);
/** What lies here reaches the session or the model. */
const LOADED: ReadonlySet<string> = new Set(['agents', 'commands', 'hooks', 'node_modules', 'policies', 'skills']);

export function isOwnData({ path, stat }: TreeEntry): boolean {
  const lower = path.toLowerCase();
  if (!stat.isFile() || (stat.mode & 0o111) !== 0 || LOADED.has(lower.split('/')[0]!)) return false;
  return SUFFIXES.has(extname(lower)) && !STEERING.has(basename(lower));
}
