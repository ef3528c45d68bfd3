/** Shows changes of files to people: what kind of change, how many lines, and a unified diff where both sides are text. */

import { createUnifiedDiff } from '../tools/files/diff.ts';
import { decodeText, toVisibleText } from '../tools/files/text-file.ts';
import { toText } from './byte-path.ts';
import { UNKNOWN, isSameState, unkeptReason } from './tree-state.ts';
import type { TreeChange, TreeState } from './tree-state.ts';

export type ChangeKind = 'added' | 'deleted' | 'modified' | 'mode' | 'link' | 'type';

export interface DescribedChange {
  readonly path: string;
  readonly kind: ChangeKind;
  readonly addedLines: number;
  readonly removedLines: number;
  /** Absent for folders and links, and where a side is no text, too large or not kept. */
  readonly diff?: string;
  /** In words, where there is no diff. */
  readonly note?: string;
}

/** `path`: where the content may be now. */
export type ReadContent = (state: TreeState, path: string) => Promise<Buffer | undefined>;

const MOST_DIFF_BYTES = 1024 * 1024;

export async function describeChange({ path, before, after }: TreeChange, read: ReadContent): Promise<DescribedChange> {
  const name = toText(path);
  const base = { path: name, kind: kindOf(before, after), addedLines: 0, removedLines: 0 };
  if (before?.kind !== 'file' && after?.kind !== 'file') return { ...base, note: describeStates(before, after) };
  if (base.kind === 'mode') return { ...base, note: describeStates(before, after) };
  const textOf = (state: TreeState) => readText(state, (each) => read(each, path));
  const [old, fresh] = await Promise.all([textOf(before), textOf(after)]);
  if (old === undefined || fresh === undefined) return { ...base, note: describeStates(before, after) };
  const diff = await createUnifiedDiff(old, fresh, {
    fileName: inHeader(name),
    oldHeader: 'before',
    newHeader: 'after',
  });
  return { ...base, diff, ...countLines(diff) };
}

/** A header is one line: as git does it, a name that would break it is quoted. */
function inHeader(name: string): string {
  // oxlint-disable-next-line no-control-regex -- these are the characters that break a header
  return /[\0-\x1f\x7f"\\]/.test(name) ? JSON.stringify(name) : name;
}

function kindOf(before: TreeState, after: TreeState): ChangeKind {
  if (before === null) return 'added';
  if (after === null) return 'deleted';
  if (before.kind !== after.kind) return 'type';
  if (before.kind === 'link') return 'link';
  if (before.kind === 'folder') return 'mode';
  const isSameContent = before.kind === 'file' && after.kind === 'file' && before.content === after.content;
  return isSameContent ? 'mode' : 'modified';
}

/** Undefined where it is not known, or no text; a missing file is empty. */
async function readText(
  state: TreeState,
  read: (state: TreeState) => Promise<Buffer | undefined>,
): Promise<string | undefined> {
  if (state === null || state.kind !== 'file') return '';
  if (unkeptReason(state.content) !== undefined || state.size > MOST_DIFF_BYTES) return undefined;
  const bytes = await read(state);
  if (!bytes || bytes.length > MOST_DIFF_BYTES || bytes.includes(0)) return undefined;
  const { text } = decodeText(bytes);
  return toVisibleText(text) === text ? text : undefined;
}

function countLines(diff: string): Pick<DescribedChange, 'addedLines' | 'removedLines'> {
  const lines = diff.split('\n').slice(2);
  const count = (sign: string) => lines.filter((line) => line.startsWith(sign)).length;
  return { addedLines: count('+'), removedLines: count('-') };
}

function describeStates(before: TreeState, after: TreeState): string {
  return `${describe(before)} → ${describe(after)}`;
}

function describe(state: TreeState): string {
  if (state === null) return 'absent';
  if (isSameState(state, UNKNOWN)) return 'unknown';
  if (state.kind === 'link') return `link to ${toText(state.target)}`;
  if (state.kind === 'other') return 'special file';
  const mode = state.mode < 0 ? '' : `, mode ${state.mode.toString(8)}`;
  return state.kind === 'folder' ? `folder${mode}` : `file of ${state.size} bytes${mode}`;
}
