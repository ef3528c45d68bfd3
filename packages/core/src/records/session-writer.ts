/**
 * Appends whole lines to a session file that this process has locked. Creates a new file
 * with its first line, readable by its owner only. Truncates a partly written line after a
 * write error, so that no line is half written, and then stops writing.
 */

import {
  closeSync,
  constants,
  existsSync,
  fdatasync,
  fstatSync,
  ftruncateSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { SessionError } from './session-error.ts';
import { acquireLock } from './session-lock.ts';
import type { SessionLock } from './session-lock.ts';
import { markLoss } from './recording-gap.ts';

export interface SessionWriterOptions {
  /** The file; for a new one the nth name to try. */
  pathFor: (count: number) => string;
  /** The lock of an existing file; a new file is locked when it is created. */
  lock?: SessionLock;
  /** The first line of a new file. */
  header: () => object;
  /** Called once, with the reason why nothing, or nothing more, is written. */
  onProblem: (error: unknown, { hasBegun }: { hasBegun: boolean }) => void;
}

const { O_APPEND, O_CREAT, O_TRUNC, O_WRONLY } = constants;
const NEW_LINE = 0x0a;
/** Bounds the names to try for sessions that start in the same minute with ids that begin alike. */
const MAX_NAMES = 100;

export class SessionWriter {
  path: string;
  private readonly options: SessionWriterOptions;
  private readonly isNew: boolean;
  private lock: SessionLock | undefined;
  private file: number | undefined;
  private size = 0;
  private hasEnded = false;
  /** Writes a record as one line of JSON. */
  toLine: (record: object) => string = JSON.stringify;

  constructor(options: SessionWriterOptions) {
    this.options = options;
    this.path = options.pathFor(1);
    this.lock = options.lock;
    this.isNew = options.lock === undefined;
  }

  append(record: object): void {
    if (this.hasEnded) return;
    try {
      const line = `${this.toLine(record)}\n`;
      if (this.file !== undefined) this.write(this.file, line);
      else if (this.isNew) this.create(line);
      else this.goOn(line);
    } catch (error) {
      this.fail(error);
    }
  }

  /** Stops writing; later readers find the session marked as incomplete. */
  fail(error: unknown): void {
    const hasBegun = this.size > 0 || !this.isNew;
    if (hasBegun) markLoss(this.path);
    this.close();
    this.options.onProblem(error, { hasBegun });
  }

  get isRecording(): boolean {
    return !this.hasEnded;
  }

  /** Resolves when the appended lines are on the disk, or writing has failed for good. */
  async sync(): Promise<void> {
    const { file } = this;
    if (file === undefined) return;
    await new Promise<void>((resolve) => {
      fdatasync(file, () => resolve());
    });
  }

  /** `discard` removes a file that this session created. */
  close({ discard = false } = {}): void {
    const { file, lock } = this;
    this.hasEnded = true;
    this.file = undefined;
    this.lock = undefined;
    if (file !== undefined) closeSync(file);
    if (file !== undefined && this.isNew && (discard || this.size === 0)) {
      for (const path of [this.path, temporaryPath(this.path)]) rmSync(path, { force: true });
    }
    lock?.release();
  }

  /** Names the file only with its first lines in it: a process that dies earlier leaves no session. */
  private create(line: string): void {
    this.lock = this.claimName();
    const temporary = temporaryPath(this.path);
    this.file = openSync(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND, 0o600);
    this.write(this.file, `${JSON.stringify(this.options.header())}\n${line}`);
    renameSync(temporary, this.path);
  }

  private claimName(): SessionLock {
    for (let count = 1; count <= MAX_NAMES; count++) {
      this.path = this.options.pathFor(count);
      const lock = acquireLock(this.path);
      if (!('release' in lock)) continue;
      if (!existsSync(this.path)) return lock;
      lock.release();
    }
    throw new SessionError('exists', `Too many sessions of that name (${MAX_NAMES}): ${this.path}.`);
  }

  /** Starts a new line after a torn one. */
  private goOn(line: string): void {
    const file = openSync(this.path, 'a+', 0o600);
    this.file = file;
    this.size = fstatSync(file).size;
    const last = Buffer.alloc(1);
    const isCutOff = readSync(file, last, 0, 1, this.size - 1) === 1 && last[0] !== NEW_LINE;
    this.write(file, isCutOff ? `\n${line}` : line);
  }

  private write(file: number, text: string): void {
    const bytes = Buffer.from(text);
    let done = 0;
    try {
      while (done < bytes.length) done += writeSync(file, bytes, done);
    } catch (error) {
      if (done > 0) ftruncateSync(file, this.size);
      throw error;
    }
    this.size += done;
  }
}

function temporaryPath(path: string): string {
  return `${path}.tmp`;
}
