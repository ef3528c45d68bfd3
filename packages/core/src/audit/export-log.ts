/**
 * An export of the log: a first line with the public key and the head, then the lines as they are. A whole one can be
 * checked on another computer; one with a filter tells that lines are left out.
 */

import { isRecord } from '../util/is-record.ts';
import { openKeys, toPublicKey } from './audit-keys.ts';
import type { PublicKey } from './audit-keys.ts';
import { auditPlace } from './audit-place.ts';
import { isOwnHead, toHead } from './head-record.ts';
import type { HeadRecord } from './head-record.ts';
import { readAuditLines, readAuditState } from './read-log.ts';
import type { AuditFilter } from './read-log.ts';
import { verifyLog } from './verify-log.ts';
import type { AuditReport } from './verify-log.ts';

const KIND = 'castor audit export';

export function* exportAudit(home: string, filter: AuditFilter): Generator<string> {
  const state = readAuditState(home);
  const { secret, head } = state;
  const signed = typeof head === 'object' ? signHead(home, head, secret) : undefined;
  // The first signature makes the key.
  const key = state.key ?? readAuditState(home).key;
  const isFiltered = Object.values(filter).some((value) => value !== undefined);
  yield JSON.stringify({
    kind: KIND,
    isFiltered,
    key: key?.id,
    publicKey: key?.pem,
    ...(signed && { head: signed }),
  });
  for (const { text } of readAuditLines(home, filter)) yield text;
}

/** A head whose code is wrong gets no signature: a check of the export then says that it was changed. */
function signHead(home: string, head: HeadRecord, secret: string | undefined): HeadRecord {
  const { code: _code, ...rest } = head;
  const isOwn = secret === undefined ? head.code === undefined : isOwnHead(head, secret);
  return { ...rest, signature: isOwn ? openKeys(auditPlace(home)).sign(head) : '' };
}

/** Throws an Error for a text that is no whole export. */
export function verifyExport(
  file: string,
  text: string,
  given: { key?: PublicKey | undefined; anchor?: string | undefined } = {},
): AuditReport {
  const cut = text.indexOf('\n');
  const header = parse(text.slice(0, Math.max(cut, 0)));
  if (header?.['kind'] !== KIND) throw new Error(`${file} is no export of an audit log.`);
  if (header['isFiltered'] === true)
    throw new Error(`${file} is an export with a filter: the lines between are missing, and it cannot be checked.`);
  const pem = header['publicKey'];
  const key = given.key ?? (typeof pem === 'string' ? toPublicKey(pem, file) : undefined);
  const head = toHead(header['head']);
  return verifyLog({ files: [{ file, text: text.slice(cut + 1), before: 1 }], head, key, anchor: given.anchor });
}

function parse(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
