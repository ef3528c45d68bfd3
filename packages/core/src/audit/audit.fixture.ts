/** A home folder with an audit log, for tests: entries, files, and what a stranger does to them. */

import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AuditEntry } from './audit-entry.ts';
import { auditPlace, logFiles } from './audit-place.ts';
import { appendEntries } from './append-entries.ts';

export interface AuditHome extends Disposable {
  home: string;
  place: ReturnType<typeof auditPlace>;
  /** Appends one connection to each host, on this day, as one process does. */
  append(hosts: readonly string[], day?: string, isLast?: boolean): void;
  files(): string[];
  read(file: string): string;
  write(file: string, text: string): void;
}

export function connection(host: string): AuditEntry {
  return { kind: 'connection', host, port: 443, why: 'model request', session: 'one' };
}

/** A copy of another home folder, or an empty one. */
export function auditHome(from?: string): AuditHome {
  const home = mkdtempSync(join(tmpdir(), 'castor-audit-'));
  if (from !== undefined) cpSync(from, home, { recursive: true });
  const place = auditPlace(home);
  return {
    home,
    place,
    append: (hosts, day = '2026-11-17', isLast = false) =>
      void appendEntries(
        place,
        hosts.map((host) => ({ at: `${day}T10:00:00.000Z`, entry: connection(host) })),
        { isLast },
      ),
    files: () => logFiles(readdirSync(place.logs)),
    read: (file) => readFileSync(join(place.logs, file), 'utf8'),
    write: (file, text) => writeFileSync(join(place.logs, file), text),
    [Symbol.dispose]: () => rmSync(home, { recursive: true, force: true }),
  };
}
