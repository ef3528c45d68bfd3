/**
 * AuditLog: keeps the entries of this process in order until they are in the log of the user. It writes soon after an
 * entry, under a lock that all processes of the user share; a write that fails is told once and tried again with the next.
 */

import { mkdirSync, rmdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { lockFolder } from '../config/folder-lock.ts';
import { getErrorMessage } from '../protocol/errors.ts';
import { systemClock } from '../util/clock.ts';
import { makeDirectory } from '../util/make-directory.ts';
import { appendEntries } from './append-entries.ts';
import type { LogEnd, TimedEntry } from './append-entries.ts';
import { auditPlace } from './audit-place.ts';
import type { AuditPlace } from './audit-place.ts';

export interface AuditLogOptions {
  home: string;
  /** Called once, with a sentence. */
  onProblem(message: string): void;
}

/** Entries that wait for a disk that takes them; the oldest are dropped beyond. */
const MAX_WAITING = 10_000;
const EXIT_TRIES = 50;
const EXIT_PAUSE_MS = 10;

export class AuditLog {
  private readonly place: AuditPlace;
  private readonly options: AuditLogOptions;
  private waiting: TimedEntry[] = [];
  private known: LogEnd | undefined;
  private writing: Promise<void> | undefined;
  private hasWritten = false;
  /** Whether this process recorded more than connections: then its last lines are signed. */
  private hasDecided = false;
  private isTold = false;
  private failed: string | undefined;

  constructor(options: AuditLogOptions) {
    this.options = options;
    this.place = auditPlace(options.home);
    process.once('exit', this.writeAtExit);
  }

  /** Why the latest write failed; undefined where it did not. */
  get failure(): string | undefined {
    return this.failed;
  }

  add(entries: readonly TimedEntry[]): void {
    this.waiting.push(...entries);
    this.hasDecided ||= entries.some(({ entry }) => entry.kind !== 'connection');
    if (this.waiting.length > MAX_WAITING) this.waiting.splice(0, this.waiting.length - MAX_WAITING);
  }

  /** Resolves when what was added until now is in the log, or could not be written. */
  async write(isLast = false): Promise<void> {
    // The one that waits may have begun before the latest entry.
    await this.writing;
    this.writing ??= this.writeLocked(isLast).finally(() => (this.writing = undefined));
    await this.writing;
  }

  /** Writes what waits, and a signature of this process's lines where it decided something. */
  async close(): Promise<void> {
    await this.writing;
    await this.write(true);
    process.off('exit', this.writeAtExit);
  }

  private async writeLocked(isLast: boolean): Promise<void> {
    if (this.waiting.length === 0 && !(isLast && this.hasWritten)) return;
    try {
      makeDirectory(dirname(this.place.lock));
      const release = await lockFolder(this.place.lock, systemClock);
      try {
        this.append(isLast);
      } finally {
        release();
      }
    } catch (error) {
      this.tell(error);
    }
  }

  private append(isLast: boolean): void {
    const entries = this.waiting;
    this.known = appendEntries(this.place, entries, { known: this.known, isLast, hasDecided: this.hasDecided });
    this.hasWritten = true;
    this.waiting = this.waiting.slice(entries.length);
    this.failed = undefined;
  }

  private tell(error: unknown): void {
    this.failed = `The audit log ${this.place.logs} cannot be written: ${getErrorMessage(error)}.`;
    this.known = undefined;
    if (this.isTold) return;
    this.isTold = true;
    this.options.onProblem(this.failed);
  }

  /** For an end that waits for nothing, such as a second Ctrl-C. */
  private readonly writeAtExit = (): void => {
    if (this.waiting.length === 0) return;
    for (let attempt = 0; attempt < EXIT_TRIES; attempt++) {
      try {
        mkdirSync(this.place.lock, { mode: 0o700 });
      } catch {
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, EXIT_PAUSE_MS);
        continue;
      }
      try {
        this.append(true);
      } catch {
        // There is no user left to tell.
      } finally {
        rmdirSync(this.place.lock);
      }
      return;
    }
  };
}
