/**
 * FileChange: shows one edit of one file to the user, then applies it. Both edit tools
 * provide a `plan` from content to content; FileChange handles confirmation and execution.
 * Only the approved change runs: a call whose preview failed fails with the same error,
 * and a file changed by another process meanwhile is left untouched.
 */

import path from 'node:path';
import { ToolError } from '../../protocol/errors.ts';
import type { DiffStat, FileDiff, ToolCallConfirmationDetails, ToolContext, ToolResult } from '../../protocol/tools.ts';
import { throwIfAborted } from '../../util/clock.ts';
import { EDITED_BY_PERSON } from '../define-tool.ts';
import type { EditedParams } from '../define-tool.ts';
import type { FileStore, AbsentFile, LoadedFile } from './file-store.ts';
import { fingerprint } from './read-ledger.ts';
import {
  applySplices,
  applyToText,
  decodeText,
  encodeText,
  fromModelText,
  isUniform,
  mixesEncodings,
  realText,
  toVisibleText,
  withLineEnding,
} from './text-file.ts';
import type { Splice, TextFile } from './text-file.ts';

/** The result of an edit. */
export interface PlannedChange {
  bytes: Buffer;
  /** The new text with `\n` line ends. */
  text: string;
  /** Facts for the result, for example the number of replacements. */
  data?: Record<string, unknown>;
}

export interface FileParams extends EditedParams {
  file_path: string;
  /** The fingerprint of the content that was edited, or undefined when the file did not exist. */
  [EDITED_BY_PERSON]?: string | undefined;
}

export interface FileChangeOptions<P extends FileParams> {
  store: FileStore;
  /** Throws ToolError when the edit is impossible. `file` is undefined when it does not exist. */
  plan(params: P, file: TextFile | undefined): Promise<PlannedChange>;
  /** The arguments that turn `original` into `newContent`, whatever the proposal was. */
  edited(params: P, original: string, newContent: string): P;
  /** The title of the confirmation. */
  title(name: string): string;
  /** The report for the model, before the snippet. */
  report(absolute: string, isNew: boolean, data: Record<string, unknown>): string;
}

export interface FileChange<P> {
  /** Throws ToolError for an impossible edit, before the user is asked. */
  confirm(params: P, signal: AbortSignal): Promise<ToolCallConfirmationDetails | false>;
  modifyArgs(params: P, newContent: string): Record<string, unknown>;
  execute(params: P, context: ToolContext): Promise<ToolResult>;
}

/** What the user was shown: the content before the change, with its fingerprint, and the proposal. */
type Shown = { fingerprint: string | undefined; original: string; proposed: string } | { error: ToolError };

export function createFileChange<P extends FileParams>(options: FileChangeOptions<P>): FileChange<P> {
  const { store } = options;
  const shown = new WeakMap<P, Shown>();

  async function prepare(params: P): Promise<Prepared> {
    const file = await store.load(params.file_path);
    if ('bytes' in file) store.refuseStale(file);
    if (EDITED_BY_PERSON in params) refuseUnseen(store, file, params[EDITED_BY_PERSON], true);
    const current = 'bytes' in file ? decodeText(file.bytes) : undefined;
    return { file, current, planned: await options.plan(params, current) };
  }

  return {
    async confirm(params) {
      try {
        const { file, current, planned } = await prepare(params);
        shown.set(params, {
          fingerprint: fingerprintOf(file),
          original: current === undefined ? '' : toVisibleText(current.text),
          proposed: toVisibleText(planned.text),
        });
        const absolute = store.workspace.resolve(params.file_path);
        const { diffStat: _numbers, ...diff } = await describeDiff(absolute, current, planned.text, planned, CONFIRM);
        return { type: 'edit', title: options.title(store.workspace.relative(params.file_path)), ...diff };
      } catch (error) {
        if (error instanceof ToolError) shown.set(params, { error });
        throw error;
      }
    },

    modifyArgs(params, newContent) {
      const proposal = shown.get(params);
      if (proposal === undefined || 'error' in proposal) throw new Error('Only a shown proposal can be edited.');
      const args: object = {
        ...options.edited(params, proposal.original, fromModelText(newContent)),
        modified_by_user: true,
        ai_proposed_content: params.ai_proposed_content ?? proposal.proposed,
        [EDITED_BY_PERSON]: proposal.fingerprint,
      };
      return args as Record<string, unknown>;
    },

    execute: (params, { callId, signal, confirmation }) =>
      store.exclusively(params.file_path, async () => {
        const proposal = shown.get(params);
        if (proposal !== undefined && 'error' in proposal) throw proposal.error;
        throwIfAborted(signal);
        const { file, current, planned } = await prepare(params);
        const edited = confirmation?.newContent;
        if (proposal !== undefined) refuseUnseen(store, file, proposal.fingerprint, edited !== undefined);
        const written = edited === undefined ? planned : await planText(current, fromModelText(edited));
        throwIfAborted(signal);
        await store.write(file, written.bytes, callId);
        return describeResult(options, params, file, { current, planned, written });
      }),
  };
}

interface Prepared {
  file: LoadedFile | AbsentFile;
  current: TextFile | undefined;
  planned: PlannedChange;
}

const CONFIRM = { oldHeader: 'Current', newHeader: 'Proposed' };
const RESULT = { oldHeader: 'Original', newHeader: 'Written' };

function fingerprintOf(file: LoadedFile | AbsentFile): string | undefined {
  return 'fingerprint' in file ? file.fingerprint : undefined;
}

/** The user's own text replaces the whole file, so the file must still have the content that was shown. */
function refuseUnseen(
  store: FileStore,
  file: LoadedFile | AbsentFile,
  seen: string | undefined,
  isEdited: boolean,
): void {
  const now = fingerprintOf(file);
  if (now === seen) return;
  if (!isEdited && now !== undefined && store.ledger.isKnown(file.realPath, now)) return;
  throw new ToolError(
    `${file.realPath} changed after this edit was approved. Nothing was written. Read the file again, then repeat the edit.`,
    'edit_preparation_failure',
  );
}

/** Plans new text for the whole file; `text` uses `\n`. Unchanged lines keep their line ending and bytes. */
export async function planText(file: TextFile | undefined, text: string): Promise<PlannedChange> {
  if (file === undefined) return { text, bytes: Buffer.from(text) };
  // The encoding keeps the byte order mark; a second one would become a character.
  const body = file.hasByteOrderMark ? text.replace(/^\uFEFF/, '') : text;
  if (isUniform(file)) return { text: body, bytes: encodeText(file, withLineEnding(body, file.lineEnding)) };
  const { findLineSplices } = await import('./diff.ts');
  return planSplices(file, await findLineSplices(toVisibleText(file.text), body));
}

/** Throws when the file's encoding cannot represent the new text. */
export function planSplices(file: TextFile, splices: readonly Splice[]): PlannedChange {
  if (mixesEncodings(file, splices)) {
    throw new ToolError(
      'The file is in a legacy encoding, not UTF-8, and the new text has non-ASCII characters that it cannot represent safely. Nothing was written. Convert the file first, for example with iconv.',
      'edit_preparation_failure',
    );
  }
  return { text: applyToText(file.text, splices), bytes: applySplices(file, splices) };
}

async function describeResult<P extends FileParams>(
  options: FileChangeOptions<P>,
  params: P,
  file: LoadedFile | AbsentFile,
  { current, planned, written }: Omit<Prepared, 'file'> & { written: PlannedChange },
): Promise<ToolResult> {
  const absolute = options.store.workspace.resolve(params.file_path);
  const before = current === undefined ? '' : toVisibleText(current.text);
  const isNew = current === undefined;
  const after = toVisibleText(written.text);
  const data = planned.data ?? {};
  const isModified = written !== planned || params.modified_by_user === true;
  const note = !isModified ? '' : ' The user modified the proposed content before it was written.';
  const { createSnippet } = await import('./diff.ts');
  const snippet = isNew ? after : await createSnippet(before, after);
  return {
    llmContent: `${options.report(absolute, isNew, data)}${note} Here is the updated code:\n${snippet}`,
    returnDisplay: await describeDiff(absolute, current, params.ai_proposed_content ?? planned.text, written, RESULT),
    data: {
      ...data,
      path: file.realPath,
      isNewFile: isNew,
      bytesWritten: written.bytes.length,
      hashBefore: fingerprintOf(file) ?? null,
      hashAfter: fingerprint(written.bytes),
    },
  };
}

/** The diff of an edit whose file another program changed afterwards, to the bytes that are there now. */
export async function redescribeDiff(shown: FileDiff, bytes: Buffer): Promise<FileDiff> {
  const { createDiffStat, createUnifiedDiff } = await import('./diff.ts');
  const { fileName, originalContent, diffStat } = shown;
  const [before, after] = [fromModelText(originalContent ?? ''), toVisibleText(decodeText(bytes).text)];
  const counted = diffStat && (await createDiffStat(before, after, after));
  return {
    ...shown,
    fileDiff: await createUnifiedDiff(before, after, { fileName, ...RESULT }),
    newContent: realText(bytes),
    // What the user changed in the proposal stays counted.
    ...(diffStat && counted && { diffStat: { ...counted, ...usersPart(diffStat) } }),
  };
}

function usersPart({ user_added_lines, user_removed_lines, user_added_chars, user_removed_chars }: DiffStat) {
  return { user_added_lines, user_removed_lines, user_added_chars, user_removed_chars };
}

async function describeDiff(
  filePath: string,
  current: TextFile | undefined,
  proposed: string,
  written: PlannedChange,
  headers: { oldHeader: string; newHeader: string },
): Promise<FileDiff> {
  const { createDiffStat, createUnifiedDiff } = await import('./diff.ts');
  const before = current === undefined ? '' : toVisibleText(current.text);
  const after = toVisibleText(written.text);
  const fileName = path.basename(filePath);
  return {
    fileDiff: await createUnifiedDiff(before, after, { fileName, ...headers }),
    fileName,
    filePath,
    originalContent: current === undefined ? null : toVisibleText(current.raw),
    newContent: realText(written.bytes),
    diffStat: await createDiffStat(before, toVisibleText(proposed), after),
    isNewFile: current === undefined,
  };
}
