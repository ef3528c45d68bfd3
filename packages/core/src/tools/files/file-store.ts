/**
 * FileStore: loading and replacing whole text files for the edit tools. It joins the
 * fence (Workspace), the memory of what the model has seen (ReadLedger) and the atomic
 * write, and lets one change at a time touch a file. It knows nothing of how a change
 * was made.
 */

import type { Stats } from 'node:fs';
import { ToolError } from '../../protocol/errors.ts';
import { writeFileAtomically } from './atomic-write.ts';
import type { OpenedFile } from './opened-file.ts';
import { fingerprint } from './read-ledger.ts';
import { ReadLedger } from './read-ledger.ts';
import type { Workspace } from './workspace.ts';

export const MAX_FILE_BYTES = 20 * 1024 * 1024;

export interface LoadedFile {
  /** Without links; where a change goes. */
  realPath: string;
  bytes: Buffer;
  stat: Stats;
  fingerprint: string;
}

/** A name nothing has yet. */
export interface AbsentFile {
  realPath: string;
}

/** A write that is about to happen. */
export interface PlannedWrite {
  /** The call it is part of. */
  callId: string;
  path: string;
  /** Undefined where there is no file yet. */
  before: { bytes: Uint8Array; fingerprint: string } | undefined;
  /** The fingerprint of what will be there. */
  after: string;
}

/** Told of a write, and waited for, before it happens. Must not throw. */
export interface FileJournal {
  changing(write: PlannedWrite): Promise<void>;
}

export class FileStore {
  readonly workspace: Workspace;
  readonly ledger: ReadLedger;
  private readonly journal: FileJournal | undefined;
  private readonly tails = new Map<string, Promise<unknown>>();

  constructor(workspace: Workspace, ledger = new ReadLedger(), journal?: FileJournal) {
    this.workspace = workspace;
    this.ledger = ledger;
    this.journal = journal;
  }

  /** The file as it is now; whether the model knows that state is asked by `refuseStale`. */
  async load(given: string): Promise<LoadedFile | AbsentFile> {
    const realPath = await this.workspace.checkPath(given, { access: 'write' });
    try {
      const file = await this.workspace.openForReading(realPath);
      try {
        if (!this.workspace.isWritable(file.path))
          throw new ToolError(`${file.path} is not writable.`, 'path_not_in_workspace');
        const bytes = await readBounded(file, realPath);
        return { realPath, bytes, stat: file.stat, fingerprint: fingerprint(bytes) };
      } finally {
        file.close();
      }
    } catch (error) {
      if (error instanceof ToolError && error.type === 'file_not_found') return { realPath };
      throw error;
    }
  }

  /** Throws when others changed the file since the model last saw it. */
  refuseStale(file: LoadedFile): void {
    if (this.ledger.isStale(file.realPath, file.fingerprint)) {
      throw new ToolError(
        `${file.realPath} has changed on disk since it was last read. Nothing was written. Read the file again with read_file, then repeat the edit against its current content.`,
        'edit_preparation_failure',
      );
    }
  }

  /** With the call it is part of, the journal is told first. */
  async write(file: LoadedFile | AbsentFile, bytes: Uint8Array, callId?: string): Promise<void> {
    const { realPath } = file;
    const after = fingerprint(bytes);
    if (callId !== undefined) {
      const before = 'bytes' in file ? file : undefined;
      await this.journal?.changing({ callId, path: realPath, before, after });
    }
    await writeFileAtomically({
      realPath,
      bytes,
      expected: 'stat' in file ? file.stat : undefined,
      isWritable: (path) => this.workspace.isWritable(path),
    });
    this.ledger.record(realPath, after);
    if (realPath.endsWith('ignore')) this.workspace.ignore.refresh();
  }

  /** Runs changes of one file one after the other, in the order they came. */
  async exclusively<T>(given: string, change: () => Promise<T>): Promise<T> {
    const key = await this.workspace.checkPath(given, { access: 'write' });
    const before = this.tails.get(key);
    const run = (async () => {
      await before?.catch(() => {
        // The caller that waits for that change receives its failure.
      });
      return change();
    })();
    this.tails.set(key, run);
    try {
      return await run;
    } finally {
      if (this.tails.get(key) === run) this.tails.delete(key);
    }
  }
}

/** The whole content, up to the limit every tool keeps to. */
export async function readBounded(file: OpenedFile, path: string): Promise<Buffer> {
  const bytes = await file.readUpTo(MAX_FILE_BYTES);
  if (bytes === undefined) throw tooLarge(path, Math.max(file.stat.size, MAX_FILE_BYTES));
  return bytes;
}

function tooLarge(path: string, size: number): ToolError {
  const megabytes = (size / (1024 * 1024)).toFixed(2);
  return new ToolError(
    `File too large: ${path} has ${megabytes} MB, and the limit is 20 MB. Search it with grep_search, or extract the part you need with a shell command.`,
    'file_too_large',
  );
}
