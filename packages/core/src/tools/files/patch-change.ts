/**
 * PatchChange: shows the changes of a patch to the user, then applies them to all files or to none. Only the approved
 * changes run: a file that another process changed meanwhile is left untouched, and so are the others.
 */

import path from 'node:path';
import { ToolError } from '../../protocol/errors.ts';
import type { FileDiff, ToolCallConfirmationDetails, ToolContext, ToolResult } from '../../protocol/tools.ts';
import { throwIfAborted } from '../../util/clock.ts';
import { applyHunks, parsePatch } from '../edit/parse-patch.ts';
import type { FilePatch } from '../edit/parse-patch.ts';
import { planText } from './file-change.ts';
import type { AbsentFile, FileStore, LoadedFile } from './file-store.ts';
import { findOmissionPlaceholder } from './omission-placeholder.ts';
import { decodeText, realText, toVisibleText } from './text-file.ts';

export interface PatchParams {
  patch: string;
}

interface PlannedFile {
  patch: FilePatch;
  file: LoadedFile | AbsentFile;
  before: string;
  after: string;
  /** Undefined: the file is deleted. */
  bytes: Buffer | undefined;
}

const DONE = { add: 'Added', update: 'Updated', delete: 'Deleted' } as const;

export function createPatchChange(store: FileStore) {
  /** The files as the user was shown them, or why the patch does not fit. */
  const shown = new WeakMap<PatchParams, (string | undefined)[] | ToolError>();

  return {
    async confirm(params: PatchParams): Promise<ToolCallConfirmationDetails> {
      try {
        const planned = await planPatch(store, params);
        shown.set(params, planned.map(fingerprintOf));
        return { type: 'edit', ...(await describePlan(store, planned)) };
      } catch (error) {
        if (error instanceof ToolError) shown.set(params, error);
        throw error;
      }
    },

    async execute(params: PatchParams, { callId, signal }: ToolContext): Promise<ToolResult> {
      const seen = shown.get(params);
      if (seen instanceof ToolError) throw seen;
      const paths = parsePatch(params.patch).map((file) => file.path);
      return exclusively(store, paths.toSorted(), async () => {
        throwIfAborted(signal);
        const planned = await planPatch(store, params);
        refuseUnseen(store, planned, seen);
        throwIfAborted(signal);
        await writeAll(store, planned, callId);
        return describeResult(store, planned);
      });
    },
  };
}

async function planPatch(store: FileStore, { patch }: PatchParams): Promise<PlannedFile[]> {
  const planned: PlannedFile[] = [];
  for (const file of parsePatch(patch)) planned.push(await planFile(store, file));
  const real = new Set(planned.map(({ file }) => file.realPath));
  if (real.size < planned.length) {
    throw new ToolError('Two headers of the patch name the same file. Nothing was written.', 'invalid_tool_params');
  }
  return planned;
}

async function planFile(store: FileStore, patch: FilePatch): Promise<PlannedFile> {
  const file = await store.load(patch.path);
  refusePlaceholder(patch);
  if (!('bytes' in file)) {
    if (patch.kind === 'add') return { patch, file, before: '', ...textOf(patch) };
    throw new ToolError(`File not found: ${file.realPath}. Nothing was written, in any file.`, 'file_not_found');
  }
  if (patch.kind === 'add') {
    const advice = `Change it with "*** Update File: ${patch.path}". Nothing was written, in any file.`;
    throw new ToolError(`${file.realPath} exists already. ${advice}`, 'attempt_to_create_existing_file');
  }
  store.refuseStale(file);
  const current = decodeText(file.bytes);
  const before = toVisibleText(current.text);
  if (patch.kind === 'delete') return { patch, file, before, after: '', bytes: undefined };
  const { bytes, text } = await planText(current, applyHunks(before, patch));
  return { patch, file, before, after: toVisibleText(text), bytes };
}

function textOf({ lines }: FilePatch): { after: string; bytes: Buffer } {
  const after = lines.length === 0 ? '' : `${lines.join('\n')}\n`;
  return { after, bytes: Buffer.from(after.toWellFormed()) };
}

function refusePlaceholder({ path: name, lines, hunks }: FilePatch): void {
  const fresh = [...lines, ...hunks.flatMap((hunk) => hunk.fresh)].join('\n');
  const placeholder = findOmissionPlaceholder(fresh, hunks.flatMap(({ old }) => old).join('\n'));
  if (placeholder === undefined) return;
  throw new ToolError(
    `The patch of ${name} has a placeholder for omitted code: "${placeholder}". Write the exact text. Nothing was written, in any file.`,
    'invalid_tool_params',
  );
}

function refuseUnseen(
  store: FileStore,
  planned: readonly PlannedFile[],
  seen: (string | undefined)[] | undefined,
): void {
  if (!seen) return;
  for (const [index, { file }] of planned.entries()) {
    const now = 'fingerprint' in file ? file.fingerprint : undefined;
    if (now === seen[index] || (now !== undefined && store.ledger.isKnown(file.realPath, now))) continue;
    throw new ToolError(
      `${file.realPath} changed after this patch was approved. Nothing was written, in any file. Read the file again, then repeat the patch.`,
      'edit_preparation_failure',
    );
  }
}

/** Holds every file at once; always in the same order, so that two patches never wait for each other. */
function exclusively<T>(store: FileStore, paths: readonly string[], change: () => Promise<T>): Promise<T> {
  const [first, ...rest] = paths;
  return first === undefined ? change() : store.exclusively(first, () => exclusively(store, rest, change));
}

/** A failure restores the files that were already written. */
async function writeAll(store: FileStore, planned: readonly PlannedFile[], callId: string): Promise<void> {
  const written: PlannedFile[] = [];
  try {
    for (const each of planned) {
      if (each.bytes) await store.write(each.file, each.bytes, callId);
      else if ('bytes' in each.file) await store.remove(each.file, callId);
      written.push(each);
    }
  } catch (error) {
    for (const each of written.toReversed()) await restore(store, each, callId);
    throw error;
  }
}

async function restore(store: FileStore, { file }: PlannedFile, callId: string): Promise<void> {
  const now = await store.load(file.realPath);
  if ('bytes' in file) await store.write(now, file.bytes, callId);
  else if ('bytes' in now) await store.remove(now, callId);
}

function fingerprintOf({ file }: PlannedFile): string | undefined {
  return 'fingerprint' in file ? file.fingerprint : undefined;
}

async function describePlan(
  store: FileStore,
  planned: readonly PlannedFile[],
): Promise<FileDiff & { title: string; files?: FileDiff[] }> {
  const diffs = await Promise.all(planned.map((each) => describeDiff(store, each, 'Current', 'Proposed')));
  const names = planned.map(({ patch }) => store.workspace.relative(patch.path)).join(', ');
  const [only] = diffs;
  const title = `Confirm Edit: ${names}`;
  if (only && diffs.length === 1) return { title, ...only };
  return {
    title,
    fileDiff: diffs.map(({ fileDiff }) => fileDiff).join('\n'),
    fileName: names,
    filePath: diffs.map(({ filePath }) => filePath).join(', '),
    originalContent: diffs.map(({ originalContent }) => originalContent ?? '').join('\n'),
    newContent: diffs.map(({ newContent }) => newContent).join('\n'),
    isNewFile: false,
    files: diffs,
  };
}

async function describeDiff(
  { workspace }: FileStore,
  { patch, file, before, after, bytes }: PlannedFile,
  oldHeader: string,
  newHeader: string,
): Promise<FileDiff> {
  const { createUnifiedDiff } = await import('./diff.ts');
  const filePath = workspace.resolve(patch.path);
  const fileName = path.basename(filePath);
  return {
    fileDiff: await createUnifiedDiff(before, after, { fileName, oldHeader, newHeader }),
    fileName,
    filePath,
    originalContent: 'bytes' in file ? realText(file.bytes) : null,
    newContent: bytes ? realText(bytes) : '',
    isNewFile: !('bytes' in file),
    ...(!bytes && { isDeleted: true }),
  };
}

async function describeResult(store: FileStore, planned: readonly PlannedFile[]): Promise<ToolResult> {
  const { createSnippet } = await import('./diff.ts');
  const lines: string[] = [];
  for (const { patch, before, after } of planned) {
    const said = `${DONE[patch.kind]} ${store.workspace.resolve(patch.path)}.`;
    lines.push(patch.kind === 'update' ? `${said} The updated code:\n${await createSnippet(before, after)}` : said);
  }
  const [only] = planned;
  const names = planned.map(({ patch }) => `${DONE[patch.kind]} ${store.workspace.relative(patch.path)}`);
  const diffs = await Promise.all(planned.map((each) => describeDiff(store, each, 'Original', 'Written')));
  const [diff] = diffs;
  return {
    llmContent: lines.join('\n'),
    returnDisplay:
      diff && only?.bytes && planned.length === 1
        ? diff
        : { summary: names.join(', '), files: planned.map(({ file }) => file.realPath), diffs },
    data: { paths: planned.map(({ file }) => file.realPath) },
  };
}
