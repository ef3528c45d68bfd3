/**
 * Keeps what the user consented to: for each extension the digest of its content, in `castor-extensions.json`. A start
 * compares stamps; only where one differs it reads the content.
 */

import { readSourceFile } from '../config/source-file.ts';
import { isRecord } from '../util/is-record.ts';
import { replaceFile } from '../util/replace-file.ts';
import { consentFile } from './extension-paths.ts';

export interface ConsentRecord {
  /** Of the content; of a linked extension, of what would run. */
  readonly digest: string;
  readonly isLinked: boolean;
  /** Of the files when the digest was computed; absent for a linked extension. */
  readonly stamp?: string | undefined;
  readonly version: string;
  /** The commit of a clone. */
  readonly commit?: string | undefined;
  /** The files that could be the extension's own data and were there: newer ones need no consent. Absent in older records. */
  readonly data?: readonly string[] | undefined;
}

export type ConsentRecords = Readonly<Record<string, ConsentRecord>>;

/** Throws a SettingsError for an unreadable file. */
export function readConsentRecords(home: string): ConsentRecords {
  const { extensions } = readSourceFile(consentFile(home)) ?? {};
  if (!isRecord(extensions)) return {};
  return Object.fromEntries(
    Object.entries(extensions).flatMap(([name, entry]): [string, ConsentRecord][] => {
      if (!isRecord(entry) || typeof entry['digest'] !== 'string') return [];
      const text = (key: string) => (typeof entry[key] === 'string' ? entry[key] : undefined);
      const record = {
        digest: entry['digest'],
        isLinked: entry['isLinked'] === true,
        stamp: text('stamp'),
        version: text('version') ?? '',
        commit: text('commit'),
        data: Array.isArray(entry['data']) ? entry['data'].filter((path) => typeof path === 'string') : undefined,
      };
      return [[name, record]];
    }),
  );
}

/** Undefined removes the record. */
export function writeConsentRecord(home: string, name: string, record: ConsentRecord | undefined): void {
  const { [name]: _old, ...rest } = readConsentRecords(home);
  const extensions = record ? { ...rest, [name]: record } : rest;
  replaceFile(consentFile(home), `${JSON.stringify({ version: 1, extensions }, null, 2)}\n`);
}
