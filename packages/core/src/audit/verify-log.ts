/**
 * Checks a log: every hash, the chain from line to line and from file to file, every signature, and the head that was kept
 * apart. It tells a line that a killed program left half written from one that was changed.
 */

import type { AuditLine } from './audit-entry.ts';
import type { PublicKey } from './audit-keys.ts';
import { NO_HASH, readLine } from './chain-line.ts';
import type { ChainEnd } from './chain-line.ts';
import { isOwnHead } from './head-record.ts';
import type { HeadRecord } from './head-record.ts';
import { sha256 } from '../util/sha256.ts';

export interface LogText {
  file: string;
  text: string;
  /** The lines of the file before the text. */
  before?: number;
}

export interface AuditedLog {
  /** The oldest first. */
  files: Iterable<LogText>;
  head: HeadRecord | 'damaged' | undefined;
  key: PublicKey | undefined;
  /** What the code of the head was made with; absent on another computer. */
  secret?: string | undefined;
  /** The hash of a line that was noted elsewhere: the log has to contain it. */
  anchor?: string | undefined;
}

export interface AuditProblem {
  kind: 'changed' | 'missing' | 'order' | 'unreadable' | 'signature' | 'head' | 'cut' | 'anchor';
  /** `file:line`, or the file of the head. */
  where: string;
  says: string;
}

export interface AuditReport {
  isIntact: boolean;
  lines: number;
  files: number;
  signatures: number;
  first?: string | undefined;
  last?: string | undefined;
  /** The last line: noted elsewhere, it proves later that nothing before it has changed. */
  head?: ChainEnd | undefined;
  /** The key that signed it, by its short name. */
  key?: string | undefined;
  problems: AuditProblem[];
  /** What is no tampering: lines that a killed program left half written. */
  notes: string[];
}

export function verifyLog(log: AuditedLog): AuditReport {
  const check = new LogCheck(log);
  for (const file of log.files) check.read(file);
  return check.end();
}

class LogCheck {
  private readonly log: AuditedLog;
  private readonly problems: AuditProblem[] = [];
  private readonly notes: string[] = [];
  private expected: ChainEnd = { seq: 0, hash: NO_HASH };
  private lines = 0;
  private files = 0;
  private signatures = 0;
  private first: string | undefined;
  private last: string | undefined;
  /** The hash of the line that the head is about. */
  private atHead: string | undefined;
  private hasAnchor = false;
  /** A text that is no line: the next one may say that a killed program left it. */
  private unread: { where: string; text: string } | undefined;

  constructor(log: AuditedLog) {
    this.log = log;
  }

  read({ file, text, before = 0 }: LogText): void {
    this.files++;
    const lines = text.split('\n');
    const rest = lines.pop() ?? '';
    for (const [index, line] of lines.entries()) this.readText(line, `${file}:${before + index + 1}`);
    if (rest !== '') this.readText(rest, `${file}:${before + lines.length + 1}`, true);
  }

  end(): AuditReport {
    this.settleUnread();
    this.checkHead();
    const { anchor, key } = this.log;
    if (anchor !== undefined && !this.hasAnchor)
      this.add('anchor', 'the log', `No line has the hash ${anchor}: the log is not the one it was noted from.`);
    const { lines, files, signatures, first, last, problems, notes } = this;
    const head = lines === 0 ? undefined : this.expected;
    return {
      isIntact: problems.length === 0,
      lines,
      files,
      signatures,
      first,
      last,
      head,
      key: key?.id,
      problems,
      notes,
    };
  }

  private readText(text: string, where: string, isCut = false): void {
    const found = isCut ? undefined : readLine(text);
    if (!found) {
      this.settleUnread();
      this.unread = { where, text };
      return;
    }
    this.settleUnread(found.line);
    if (!found.isWhole) this.add('changed', where, 'The line was changed: its hash is not that of its text.');
    this.follow(found.line, where);
  }

  /** A half line is harmless where it is the last one, or where the writer that went on has said so. */
  private settleUnread(next?: AuditLine): void {
    const { unread } = this;
    this.unread = undefined;
    if (!unread) return;
    const { where, text } = unread;
    const isTold = next?.kind === 'torn' && next.sha256 === sha256(text);
    const isLast = next === undefined && text !== '';
    if (isTold || isLast)
      this.notes.push(`${where}: a program was ended while it wrote this line; the line does not count.`);
    else this.add('unreadable', where, 'This is no line of an audit log.');
  }

  private follow(line: AuditLine, where: string): void {
    const { seq, hash, prev } = line;
    const next = this.expected.seq + 1;
    if (seq > next) {
      const gap = seq - 1 === next ? `Line ${next} is` : `Lines ${next} to ${seq - 1} are`;
      this.add('missing', where, `${gap} missing before line ${seq}.`);
    } else if (seq < next)
      this.add('order', where, `Line ${seq} follows line ${this.expected.seq}: lines were moved or added.`);
    else if (prev !== this.expected.hash)
      this.add('changed', where, `Line ${seq} does not continue the line before it: one of them was replaced.`);
    if (line.kind === 'signature') this.checkSignature(line, where);
    if (line.kind === 'headless')
      this.add('head', where, 'The head was gone when this line was written: what was cut before it cannot be told.');
    if (typeof this.log.head === 'object' && seq === this.log.head.seq) this.atHead = hash;
    if (hash === this.log.anchor) this.hasAnchor = true;
    this.lines++;
    this.first ??= line.at;
    this.last = line.at;
    this.expected = { seq, hash };
  }

  private checkSignature(line: Extract<AuditLine, { kind: 'signature' }>, where: string): void {
    this.signatures++;
    const { key } = this.log;
    if (!key) this.add('signature', where, 'There is no public key to check the signature with.');
    else if (line.key !== key.id)
      this.add('signature', where, `Signed with the key ${line.key}, and not with ${key.id}.`);
    else if (!key.isSigned({ seq: line.seq - 1, hash: line.prev }, line.signature))
      this.add('signature', where, 'The signature is not that of the lines before it.');
  }

  private checkHead(): void {
    const { head, key } = this.log;
    const where = 'the head';
    if (head === undefined) {
      // A key signs lines of a log, which has a head from its first line on.
      if (this.lines > 0 || key) this.add('head', where, 'The head is gone: a cut end of the log cannot be told.');
      return;
    }
    if (head === 'damaged') return this.add('head', where, 'The head is unreadable.');
    this.checkHeadCode(head, key, where);
    if (head.seq > this.expected.seq)
      this.add('cut', where, `The log ends with line ${this.expected.seq}; its last line was ${head.seq}.`);
    else if (head.seq > 0 && this.atHead !== head.hash && !this.problems.some(({ kind }) => kind === 'missing'))
      this.add('changed', where, `Line ${head.seq} is not the one that was signed.`);
  }

  private checkHeadCode(head: HeadRecord, key: PublicKey | undefined, where: string): void {
    const { secret } = this.log;
    if (head.signature !== undefined) {
      if (!key) this.add('signature', where, 'There is no public key to check the head with.');
      else if (!key.isSigned(head, head.signature))
        this.add('head', where, 'The head was changed: its signature is wrong.');
    } else if (secret === undefined && (head.code !== undefined || this.signatures > 0))
      this.add('signature', where, 'The signing key is gone: the head cannot be checked.');
    else if (secret !== undefined && !isOwnHead(head, secret))
      this.add('head', where, 'The head was changed: its code is wrong.');
  }

  private add(kind: AuditProblem['kind'], where: string, says: string): void {
    this.problems.push({ kind, where, says });
  }
}
