/**
 * Audit: takes what is decided and what is connected to in this process. It loads and opens nothing until there is
 * something to record, and writes beside the work; where the log is required, what cannot be recorded does not happen.
 */

import { watchOutgoing } from '../util/outgoing.ts';
import type { AuditEntry } from './audit-entry.ts';
import type { TimedEntry } from './append-entries.ts';
import type { AuditLog } from './audit-log.ts';

export interface AuditOptions {
  home: string;
  /** True: an entry that cannot be written refuses what it is about. Default false. */
  isRequired?: boolean | undefined;
  /** Called once, when the log cannot be written. */
  onProblem(message: string): void;
}

/** An entry that has to be recorded and cannot be. */
export class AuditError extends Error {
  override name = 'AuditError';
}

/** The first request is not slowed down by the log about it. */
const SOON_MS = 50;

export class Audit {
  private readonly options: AuditOptions;
  private waiting: TimedEntry[] = [];
  private log: AuditLog | undefined;
  private opening: Promise<AuditLog> | undefined;
  private timer: NodeJS.Timeout | undefined;
  private readonly unwatch: () => void;

  constructor(options: AuditOptions) {
    this.options = options;
    this.unwatch = watchOutgoing((connection) => this.record({ kind: 'connection', ...connection }));
  }

  /** Throws AuditError where the log is required and its latest write failed. */
  record(entry: AuditEntry): void {
    this.waiting.push({ at: new Date().toISOString(), entry });
    this.timer ??= setTimeout(() => void this.settled(), SOON_MS).unref();
    if (this.options.isRequired) this.refuseUnwritten();
  }

  /** For a decision: it is written before what was decided has effects on other programs. Throws as `record` does. */
  async recordFirst(entry: AuditEntry): Promise<void> {
    this.record(entry);
    const written = this.settled();
    if (!this.options.isRequired) return;
    await written;
    this.refuseUnwritten();
  }

  /** Resolves when everything recorded until now is in the log, or was told to be unwritable. */
  async settled(): Promise<void> {
    clearTimeout(this.timer);
    this.timer = undefined;
    if (this.waiting.length === 0 && !this.log) return;
    const log = await this.open();
    log.add(this.waiting.splice(0));
    await log.write();
  }

  /** Signs what this process recorded. */
  async close(): Promise<void> {
    this.unwatch();
    await this.settled();
    await this.log?.close();
  }

  private open(): Promise<AuditLog> {
    this.opening ??= import('./audit-log.ts').then((room) => (this.log = new room.AuditLog(this.options)));
    return this.opening;
  }

  private refuseUnwritten(): void {
    if (this.log?.failure !== undefined) throw new AuditError(this.log.failure);
  }
}

/** Throws AuditError where the log is required and cannot be written. */
export async function openAudit(options: AuditOptions): Promise<Audit> {
  const audit = new Audit(options);
  if (!options.isRequired) return audit;
  try {
    await audit.recordFirst({ kind: 'start' });
    return audit;
  } catch (error) {
    await audit.close();
    throw error;
  }
}
