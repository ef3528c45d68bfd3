/**
 * The report of `castor leaks`: which secrets sessions replaced by marks, and what a sweep of sessions, logs, telemetry and
 * saved output finds. The undo store, which keeps exact copies, is searched by a function of its own room.
 */

import { readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { userDirectory } from '../config/paths.ts';
import { readMarks } from './mark-records.ts';
import { toMark } from './secret-vault.ts';
import { createSecretFinder, filesBelow, sweepFile } from './sweep-files.ts';
import type { Leak, SecretFinder } from './sweep-files.ts';

export interface Replaced {
  session: string;
  mark: string;
  kind: string;
  /** How often the mark stands in the session's file. */
  places: number;
}

export interface StoreSweep {
  /** How many sealed copies hold a secret. */
  sealed: number;
  /** Copies of an earlier version, which are not sealed. */
  leaks: Leak[];
}

export interface LeakReport {
  replaced: Replaced[];
  leaks: Leak[];
  sealedCopies: number;
  files: number;
}

export interface FindLeaksOptions {
  home: string;
  environment: Readonly<Record<string, string | undefined>>;
  /** Only of this session; absent: of all. */
  session?: { id: string; path: string } | undefined;
  /** Files outside the user's folder, such as that of telemetry. */
  others?: readonly string[] | undefined;
  sweepStore: (folder: string, find: SecretFinder) => StoreSweep;
}

const SESSION = /^session-.*\.jsonl?$/;
/** Files that hold credentials by purpose: the user's own settings and keys. */
const OWN =
  /^(?:settings\.json|oauth_creds\.json|.*\.key|trustedFolders\.json|mcp-oauth-tokens.*|extension-values.*|\.env)$/;

export function findLeaks(options: FindLeaksOptions): LeakReport {
  const { home, session, others = [], sweepStore } = options;
  const find = createSecretFinder(options.environment);
  const folder = userDirectory(home);
  const report: LeakReport = { replaced: [], leaks: [], sealedCopies: 0, files: 0 };
  const stores = new Set<string>();
  for (const path of [...filesBelow(folder), ...others]) {
    const [, store] = /^(.*[/\\]undo)[/\\]/.exec(path) ?? [];
    if (store !== undefined && (!session || isStoreOf(store, session))) stores.add(store);
    if (isOwn(path, folder) || (session && !belongsTo(path, session) && !others.includes(path))) continue;
    report.files++;
    report.leaks.push(...sweepFile(path, find));
    if (SESSION.test(basename(path)) || path === session?.path) report.replaced.push(...replacedIn(path));
  }
  for (const store of stores) {
    const swept = sweepStore(store, find);
    report.sealedCopies += swept.sealed;
    report.leaks.push(...swept.leaks);
  }
  return report;
}

function isOwn(path: string, folder: string): boolean {
  return path.startsWith(join(folder, 'extensions')) || (OWN.test(basename(path)) && !path.includes('chats'));
}

/** Its file, the folder of its children and copies, and what carries its id. */
function belongsTo(path: string, { id, path: file }: { id: string; path: string }): boolean {
  return path === file || path.includes(id);
}

/** The sessions of a project share one store. */
function isStoreOf(store: string, { path }: { path: string }): boolean {
  return store === join(dirname(dirname(path)), 'undo');
}

function replacedIn(path: string): Replaced[] {
  const marks = readMarks(path);
  if (marks.length === 0) return [];
  const text = readFileSync(path, 'utf8');
  return marks.map(({ name, kind }) => {
    const mark = toMark(name);
    return { session: basename(path), mark, kind, places: text.split(mark).length - 1 };
  });
}
