/**
 * Keeps the names of marks with a session: a line of its file for each, with a fingerprint that tells whether a value is
 * the same one and not what it is. The key of the fingerprints stays on this computer.
 */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { userDirectory } from '../config/paths.ts';
import { builtin } from '../util/builtin-modules.ts';
import { isRecord } from '../util/is-record.ts';
import { readOrCreateKey } from '../util/sealed-bytes.ts';
import { MARK } from './secret-vault.ts';
import type { SecretMark } from './secret-vault.ts';

const FINGERPRINT_LENGTH = 32;

export function markKeyPath(home: string): string {
  return join(userDirectory(home), 'secret-marks.key');
}

/** Undefined where the key can be neither read nor made: a mark then lasts as long as the run. */
export function createFingerprint(home: string): (value: string) => string | undefined {
  let key: Buffer | undefined;
  return (value) => {
    try {
      key ??= readOrCreateKey(markKeyPath(home));
      return builtin.crypto.createHmac('sha256', key).update(value).digest('hex').slice(0, FINGERPRINT_LENGTH);
    } catch {
      // A read-only home folder must not end the session.
      return undefined;
    }
  };
}

/** The line of a new mark. */
export function toMarkRecord(mark: SecretMark, timestamp: string): { $secret: SecretMark & { timestamp: string } } {
  return { $secret: { ...mark, timestamp } };
}

/** The marks of a session file: those on record, and those that only appear in its texts, as in a copied session. */
export function readMarks(path: string): SecretMark[] {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch {
    // Not written yet: it holds no mark.
    return [];
  }
  const marks = new Map<string, SecretMark>();
  for (const [, name = ''] of text.matchAll(MARK)) marks.set(name, { name, kind: name.replace(/-\d+$/, '') });
  for (const line of text.split('\n')) {
    const mark = line.startsWith('{"$secret"') ? parseMark(line) : undefined;
    if (mark) marks.set(mark.name, mark);
  }
  return [...marks.values()];
}

function parseMark(line: string): SecretMark | undefined {
  try {
    const value: unknown = JSON.parse(line);
    const found = isRecord(value) ? value['$secret'] : undefined;
    if (!isRecord(found)) return undefined;
    const { name, kind, fingerprint } = found;
    if (typeof name !== 'string' || typeof kind !== 'string') return undefined;
    return { name, kind, ...(typeof fingerprint === 'string' && { fingerprint }) };
  } catch {
    // A line that was cut off.
    return undefined;
  }
}
