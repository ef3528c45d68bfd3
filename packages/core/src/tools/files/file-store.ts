/**
 * FileStore: loads and replaces whole text files for the edit tools. It combines the path
 * check (Workspace), the record of what the model has seen (ReadLedger) and the atomic
 * write, and serializes the changes of a file. It does not know how a change was computed.
 */

import type { Stats } from 'node:fs';
import { ToolError } from '../../protocol/errors.ts';
import type { ReadPurpose } from './editor-files.ts';
import type { OpenedFile } from './opened-file.ts';
import { fingerprint } from './read-ledger.ts';
import { ReadLedger } from './read-ledger.ts';
import type { Workspace } from './workspace.ts';

export const MAX_FILE_BYTES = 20 * 1024 * 1024;

export interface LoadedFile {
  /** Without links; the target of a write. */
  realPath: string;
  bytes: Buffer;
  /** Undefined for a file that only an editor has, which has not saved it yet. */
  stat: Stats | undefined;
  fingerprint: string;
}

/** A path where no file exists yet. */
export interface AbsentFile {
  realPath: string;
}

/** A write about to happen. */
export interface PlannedWrite {
  /** The call that makes the write. */
  callId: string;
  path: string;
  /** Undefined when the file does not exist yet. */
  before: { bytes: Uint8Array; fingerprint: string } | undefined;
  /** The fingerprint of the new content; null for a file that is deleted. */
  after: string | null;
}

/** Records a write before it happens; the store waits for it. Must not throw. */
export interface FileJournal {
  changing(write: PlannedWrite): Promise<void>;
}

/** A file that a call has written. */
export interface WrittenFile {
  path: string;
  /** Undefined when the file did not exist. */
  before: Buffer | undefined;
  after: Uint8Array;
  /** Records what another program makes of it. */
  adopt(before: Buffer, after: Buffer): Promise<void>;
}

export class FileStore {
  readonly workspace: Workspace;
  readonly ledger: ReadLedger;
  private readonly journal: FileJournal | undefined;
  private readonly onWritten: ((file: WrittenFile) => void) | undefined;
  private readonly tails = new Map<string, Promise<unknown>>();

  /** `onWritten` is called after each write of a call. */
  constructor(
    workspace: Workspace,
    ledger = new ReadLedger(),
    journal?: FileJournal,
    onWritten?: (file: WrittenFile) => void,
  ) {
    this.workspace = workspace;
    this.ledger = ledger;
    this.journal = journal;
    this.onWritten = onWritten;
  }

  /** Loads the current file; `refuseStale` checks whether the model knows that state. */
  async load(given: string): Promise<LoadedFile | AbsentFile> {
    const realPath = await this.workspace.checkPath(given, { access: 'write' });
    try {
      const file = await this.workspace.openForReading(realPath);
      try {
        if (!this.workspace.isWritable(file.path))
          throw new ToolError(`${file.path} is not writable.`, 'path_not_in_workspace');
        const bytes = await readShown(this.workspace, file, realPath, 'change');
        return { realPath, bytes, stat: file.stat, fingerprint: fingerprint(bytes) };
      } finally {
        file.close();
      }
    } catch (error) {
      if (!isMissing(error)) throw error;
      const bytes = await readUnsaved(this.workspace, realPath);
      return bytes ? { realPath, bytes, stat: undefined, fingerprint: fingerprint(bytes) } : { realPath };
    }
  }

  /** Throws when the file changed since the model last saw it. */
  refuseStale(file: LoadedFile): void {
    if (this.ledger.isStale(file.realPath, file.fingerprint)) {
      throw new ToolError(
        `${file.realPath} has changed on disk since it was last read. Nothing was written. Read the file again with read_file, then repeat the edit against its current content.`,
        'edit_preparation_failure',
      );
    }
  }

  /** With a `callId`, records the write in the journal first. */
  async write(file: LoadedFile | AbsentFile, bytes: Uint8Array, callId?: string): Promise<void> {
    const { realPath } = file;
    const after = fingerprint(bytes);
    if (callId !== undefined) {
      const before = 'bytes' in file ? file : undefined;
      await this.journal?.changing({ callId, path: realPath, before, after });
    }
    if (!(await this.writeInEditor(realPath, bytes))) {
      const { writeFileAtomically } = await import('./atomic-write.ts');
      await writeFileAtomically({
        realPath,
        bytes,
        expected: 'stat' in file ? file.stat : undefined,
        isWritable: (path) => this.workspace.isWritable(path),
      });
    }
    this.ledger.record(realPath, after);
    if (realPath.endsWith('ignore')) this.workspace.ignore.refresh();
    if (callId !== undefined) {
      const before = 'bytes' in file ? file.bytes : undefined;
      const adopt = (from: Buffer, to: Buffer) => this.adopt(realPath, from, to, callId);
      this.onWritten?.({ path: realPath, before, after: bytes, adopt });
    }
  }

  /** Records what another program made of a file that a call has written; the model is told of it. */
  private async adopt(path: string, before: Buffer, after: Buffer, callId: string): Promise<void> {
    const known = { bytes: before, fingerprint: fingerprint(before) };
    await this.journal?.changing({ callId, path, before: known, after: fingerprint(after) });
    this.ledger.record(path, fingerprint(after));
  }

  private async writeInEditor(realPath: string, bytes: Uint8Array): Promise<boolean> {
    const editor = this.workspace.editorFor(realPath);
    if (!editor) return false;
    const { writeThroughEditor } = await import('./editor-files.ts');
    return writeThroughEditor(editor, realPath, bytes);
  }

  /** Deletes a file that is still as it was loaded, and records that first. */
  async remove(file: LoadedFile, callId: string): Promise<void> {
    const { realPath, stat } = file;
    if (!stat) {
      const message = `${realPath} is not on disk: the editor has not saved it yet. It was not deleted.`;
      throw new ToolError(message, 'file_write_failure');
    }
    await this.journal?.changing({ callId, path: realPath, before: file, after: null });
    const { removeFile } = await import('./remove-file.ts');
    await removeFile(realPath, stat);
    if (realPath.endsWith('ignore')) this.workspace.ignore.refresh();
  }

  /** Runs the changes of one file one after the other, in order of arrival. */
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

/** The content as the user sees it: an editor may have unsaved text. */
export async function readShown(
  workspace: Workspace,
  file: OpenedFile,
  path: string,
  purpose: ReadPurpose = 'show',
): Promise<Buffer> {
  const bytes = await readBounded(file, path);
  const editor = workspace.editorFor(file.path);
  if (!editor) return bytes;
  const { readThroughEditor } = await import('./editor-files.ts');
  return readThroughEditor(editor, file.path, bytes, purpose);
}

/** The text of a path without a file, where an editor has not saved one yet; undefined without it. */
export async function readUnsaved(workspace: Workspace, realPath: string): Promise<Buffer | undefined> {
  const editor = workspace.editorFor(realPath);
  if (!editor?.read || workspace.isHidden(realPath)) return undefined;
  const { readNewThroughEditor } = await import('./editor-files.ts');
  return readNewThroughEditor(editor, realPath);
}

export function isMissing(error: unknown): boolean {
  return error instanceof ToolError && error.type === 'file_not_found';
}

/** The whole content, up to the limit common to all tools. */
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
