/** Reads the log of a user: its files, its lines by what they are about, and the report on whether it is intact. */

import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { AuditLine } from './audit-entry.ts';
import { readPublicKey, readSecret } from './audit-keys.ts';
import type { PublicKey } from './audit-keys.ts';
import { auditPlace, logFiles } from './audit-place.ts';
import { readLine } from './chain-line.ts';
import { readHead } from './head-record.ts';
import type { HeadRecord } from './head-record.ts';
import { verifyLog } from './verify-log.ts';
import type { AuditReport, LogText } from './verify-log.ts';

export interface AuditFilter {
  session?: string | undefined;
  /** `2026-11-17`, or the beginning of a day such as `2026-11`. */
  day?: string | undefined;
  host?: string | undefined;
  tool?: string | undefined;
}

/** What an export holds beside the lines. */
export interface AuditState {
  key: PublicKey | undefined;
  secret: string | undefined;
  head: HeadRecord | 'damaged' | undefined;
}

/** The head is read before the files: they only grow meanwhile. Throws file-system errors. */
export function readAuditState(home: string): AuditState {
  const place = auditPlace(home);
  return { key: readPublicKey(place.publicKeyFile), secret: readSecret(place), head: readHead(place.headFile) };
}

export function verifyAudit(
  home: string,
  { key, anchor }: { key?: PublicKey | undefined; anchor?: string | undefined } = {},
): AuditReport {
  const state = readAuditState(home);
  return verifyLog({ ...state, key: key ?? state.key, anchor, files: readFiles(home) });
}

/** The lines that a filter lets pass, in their order, with their text. */
export function* readAuditLines(home: string, filter: AuditFilter = {}): Generator<{ line: AuditLine; text: string }> {
  for (const { text } of readFiles(home)) {
    for (const each of text.split('\n')) {
      const found = readLine(each);
      if (found && passes(found.line, filter)) yield { line: found.line, text: each };
    }
  }
}

function* readFiles(home: string): Generator<LogText> {
  const { logs } = auditPlace(home);
  for (const file of logFiles(namesIn(logs))) {
    // A pipe in its place would never end.
    if (!statSync(join(logs, file)).isFile()) throw new Error(`${join(logs, file)} is no file.`);
    yield { file, text: readFileSync(join(logs, file), 'utf8') };
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

function passes(line: AuditLine, { session, day, host, tool }: AuditFilter): boolean {
  const facts = line as { session?: string; host?: string; tool?: string };
  return (
    (session === undefined || facts.session?.startsWith(session) === true) &&
    (day === undefined || line.at.startsWith(day)) &&
    (host === undefined || facts.host === host || facts.host?.endsWith(`.${host}`) === true) &&
    (tool === undefined || facts.tool === tool)
  );
}
