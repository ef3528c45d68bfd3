/**
 * A line of the log as text: JSON whose last member is the hash of everything before it, which includes the hash of the
 * line before. The hash is taken from the bytes of the line: no second writer of JSON has to agree with the first.
 */

import { isRecord } from '../util/is-record.ts';
import { sha256 } from '../util/sha256.ts';
import type { AuditEntry, AuditLine, LogEntry } from './audit-entry.ts';

/** The hash before the first line. */
export const NO_HASH = '0'.repeat(64);

/** A place in the chain: the last line that is known. */
export interface ChainEnd {
  seq: number;
  hash: string;
}

const ENDING = /,"hash":"([0-9a-f]{64})"\}$/;

export interface LineFacts {
  at: string;
  pid: number;
}

/** The text without its line feed, and the place after it. */
export function writeLine(
  end: ChainEnd,
  entry: AuditEntry | LogEntry,
  facts: LineFacts,
): { text: string; end: ChainEnd } {
  const seq = end.seq + 1;
  const body = JSON.stringify({ seq, ...facts, prev: end.hash, ...entry }).slice(0, -1);
  const hash = sha256(body);
  return { text: `${body},"hash":"${hash}"}`, end: { seq, hash } };
}

/** Undefined for a text that is no line of a log; `isWhole` tells whether its hash is right. */
export function readLine(text: string): { line: AuditLine; isWhole: boolean } | undefined {
  const [ending, hash] = ENDING.exec(text) ?? [];
  if (ending === undefined) return undefined;
  try {
    const line: unknown = JSON.parse(text);
    if (!isRecord(line) || typeof line['seq'] !== 'number' || typeof line['prev'] !== 'string') return undefined;
    return { line: line as unknown as AuditLine, isWhole: sha256(text.slice(0, -ending.length)) === hash };
  } catch {
    return undefined;
  }
}
