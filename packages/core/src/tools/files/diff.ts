/**
 * Compares two texts: a unified diff for the user, numbers (DiffStat), and the changed
 * regions with context for the model. Lines that both texts share at the ends are skipped
 * first, so that the cost depends on the change, not on the file.
 */

import type { DiffStat } from '../../protocol/tools.ts';
import type { Splice } from './text-file.ts';

export interface DiffLabels {
  fileName: string;
  oldHeader: string;
  newHeader: string;
}

/** A changed part: lines from 0, ends exclusive. */
interface Change {
  oldFrom: number;
  oldTo: number;
  newFrom: number;
  newTo: number;
}

/** How many characters are compared at once in the equal parts. */
const BLOCK = 4096;
const DIFF_CONTEXT = 3;
const SNIPPET_CONTEXT = 5;
const SNIPPET_MAX_LINES = 1000;
/** When two texts differ by more than this, the middle is shown as replaced entirely. */
const MAX_EDIT_LENGTH = 2000;

export async function createUnifiedDiff(before: string, after: string, labels: DiffLabels): Promise<string> {
  const compared = await compare(before, after);
  // As git does: a name with a line break would end the header early.
  const name = /\p{Cc}/u.test(labels.fileName) ? JSON.stringify(labels.fileName) : labels.fileName;
  const lines = [`--- ${name}\t${labels.oldHeader}`, `+++ ${name}\t${labels.newHeader}`];
  for (const hunk of groupChanges(compared.changes, DIFF_CONTEXT)) addHunk(lines, compared, hunk);
  return `${lines.join('\n')}\n`;
}

/** Counts the changes of the model's proposal, and those the user made to it. */
export async function createDiffStat(before: string, proposed: string, written: string): Promise<DiffStat> {
  const model = await countChanges(before, proposed);
  const user = await countChanges(proposed, written);
  return {
    model_added_lines: model.addedLines,
    model_removed_lines: model.removedLines,
    model_added_chars: model.addedCharacters,
    model_removed_chars: model.removedCharacters,
    user_added_lines: user.addedLines,
    user_removed_lines: user.removedLines,
    user_added_chars: user.addedCharacters,
    user_removed_chars: user.removedCharacters,
  };
}

/** The new text around each change, regions separated by a line of dots. */
export async function createSnippet(before: string, after: string): Promise<string> {
  const { newLines, changes } = await compare(before, after);
  const regions = groupChanges(changes, SNIPPET_CONTEXT).map((group) => {
    const from = Math.max(0, group[0]!.newFrom - SNIPPET_CONTEXT);
    const to = Math.min(newLines.length, group.at(-1)!.newTo + SNIPPET_CONTEXT);
    return boundLines(newLines.slice(from, to)).join('').replace(/\n$/, '');
  });
  return regions.join('\n...\n');
}

/** The splices that turn one text into the other, in whole lines. */
export async function findLineSplices(before: string, after: string): Promise<Splice[]> {
  const { oldLines, newLines, changes, oldOffset } = await compare(before, after);
  const splices: Splice[] = [];
  let line = 0;
  let offset = oldOffset;
  const offsetOf = (target: number) => {
    for (; line < target; line++) offset += oldLines[line]!.length;
    return offset;
  };
  for (const { oldFrom, oldTo, newFrom, newTo } of changes) {
    const start = offsetOf(oldFrom);
    splices.push({ start, end: offsetOf(oldTo), replacement: newLines.slice(newFrom, newTo).join('') });
  }
  return splices;
}

function boundLines(lines: string[]): string[] {
  if (lines.length <= SNIPPET_MAX_LINES) return lines;
  const half = SNIPPET_MAX_LINES / 2;
  const left = lines.length - SNIPPET_MAX_LINES;
  return [...lines.slice(0, half), `... [${left} lines omitted] ...\n`, ...lines.slice(-half)];
}

async function countChanges(before: string, after: string) {
  const counts = { addedLines: 0, removedLines: 0, addedCharacters: 0, removedCharacters: 0 };
  if (before === after) return counts;
  const { oldLines, newLines, changes } = await compare(before, after);
  for (const { oldFrom, oldTo, newFrom, newTo } of changes) {
    counts.removedLines += oldTo - oldFrom;
    counts.addedLines += newTo - newFrom;
    counts.removedCharacters += charactersOf(oldLines, oldFrom, oldTo);
    counts.addedCharacters += charactersOf(newLines, newFrom, newTo);
  }
  return counts;
}

function charactersOf(lines: readonly string[], from: number, to: number): number {
  let sum = 0;
  for (let index = from; index < to; index++) sum += lines[index]!.replace(/\n$/, '').length;
  return sum;
}

/** The differing part of two texts, with some lines of context. */
interface Compared {
  oldLines: string[];
  newLines: string[];
  /** Lines are relative to the start of the part. */
  changes: Change[];
  /** The length of the equal text before the part. */
  oldOffset: number;
  linesBefore: number;
}

async function compare(before: string, after: string): Promise<Compared> {
  const start = lineStartBefore(before, commonPrefix(before, after), SNIPPET_CONTEXT);
  const suffix = commonSuffix(before, after, Math.min(before.length, after.length) - start);
  const tail = before.length - lineEndAfter(before, before.length - suffix, SNIPPET_CONTEXT);
  const oldLines = toLines(before.slice(start, before.length - tail));
  const newLines = toLines(after.slice(start, after.length - tail));
  const changes = await findChanges(oldLines, newLines);
  return { oldLines, newLines, changes, oldOffset: start, linesBefore: countNewlines(before, start) };
}

function commonPrefix(a: string, b: string): number {
  const limit = Math.min(a.length, b.length);
  let at = 0;
  while (at + BLOCK <= limit && a.slice(at, at + BLOCK) === b.slice(at, at + BLOCK)) at += BLOCK;
  while (at < limit && a.charCodeAt(at) === b.charCodeAt(at)) at++;
  return at;
}

function commonSuffix(a: string, b: string, limit: number): number {
  let count = 0;
  const end = (text: string, length: number) => text.slice(text.length - count - length, text.length - count);
  while (count + BLOCK <= limit && end(a, BLOCK) === end(b, BLOCK)) count += BLOCK;
  while (count < limit && end(a, 1) === end(b, 1)) count++;
  return count;
}

/** The start of the line `lines` above the one at `offset`. */
function lineStartBefore(text: string, offset: number, lines: number): number {
  let at = offset;
  for (let line = 0; line <= lines && at > 0; line++) at = text.lastIndexOf('\n', at - 1);
  return at <= 0 ? 0 : at + 1;
}

/** The end of the line `lines` below the one at `offset`. */
function lineEndAfter(text: string, offset: number, lines: number): number {
  let at = offset;
  for (let line = 0; line <= lines; line++) {
    const next = text.indexOf('\n', at);
    if (next === -1) return text.length;
    at = next + 1;
  }
  return at;
}

function countNewlines(text: string, until: number): number {
  let count = 0;
  for (let at = text.indexOf('\n'); at !== -1 && at < until; at = text.indexOf('\n', at + 1)) count++;
  return count;
}

/** Each line with its line end; the last may lack one. */
function toLines(text: string): string[] {
  const lines: string[] = [];
  let from = 0;
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', from)) {
    lines.push(text.slice(from, at + 1));
    from = at + 1;
  }
  if (from < text.length) lines.push(text.slice(from));
  return lines;
}

async function findChanges(oldLines: readonly string[], newLines: readonly string[]): Promise<Change[]> {
  let head = 0;
  while (head < oldLines.length && head < newLines.length && oldLines[head] === newLines[head]) head++;
  let oldTo = oldLines.length;
  let newTo = newLines.length;
  while (oldTo > head && newTo > head && oldLines[oldTo - 1] === newLines[newTo - 1])
    [oldTo, newTo] = [oldTo - 1, newTo - 1];
  const whole: Change = { oldFrom: head, oldTo, newFrom: head, newTo };
  if (oldTo === head && newTo === head) return [];
  if (oldTo === head || newTo === head) return [whole];
  const { diffArrays } = await import('diff');
  const parts = diffArrays(oldLines.slice(head, oldTo), newLines.slice(head, newTo), {
    maxEditLength: MAX_EDIT_LENGTH,
  });
  if (parts === undefined) return [whole];
  return toChanges(parts, head);
}

function toChanges(parts: { added?: boolean; removed?: boolean; value: string[] }[], head: number): Change[] {
  const changes: Change[] = [];
  let oldAt = head;
  let newAt = head;
  let open: Change | undefined;
  for (const { added, removed, value } of parts) {
    if (!added && !removed) {
      if (open !== undefined) changes.push(open);
      open = undefined;
      oldAt += value.length;
      newAt += value.length;
      continue;
    }
    open ??= { oldFrom: oldAt, oldTo: oldAt, newFrom: newAt, newTo: newAt };
    if (removed) open.oldTo = oldAt += value.length;
    if (added) open.newTo = newAt += value.length;
  }
  if (open !== undefined) changes.push(open);
  return changes;
}

/** Groups changes whose context lines touch. */
function groupChanges(changes: readonly Change[], context: number): Change[][] {
  const groups: Change[][] = [];
  for (const change of changes) {
    const last = groups.at(-1)?.at(-1);
    if (last !== undefined && change.oldFrom - last.oldTo <= context * 2) groups.at(-1)!.push(change);
    else groups.push([change]);
  }
  return groups;
}

function addHunk(lines: string[], { oldLines, newLines, linesBefore }: Compared, hunk: readonly Change[]): void {
  const first = hunk[0]!;
  const last = hunk.at(-1)!;
  const lead = Math.min(DIFF_CONTEXT, first.oldFrom);
  const trail = Math.min(DIFF_CONTEXT, oldLines.length - last.oldTo);
  const oldRange = range(linesBefore + first.oldFrom - lead, linesBefore + last.oldTo + trail);
  const newRange = range(linesBefore + first.newFrom - lead, linesBefore + last.newTo + trail);
  lines.push(`@@ -${oldRange} +${newRange} @@`);
  const add = (sign: string, line: string) => {
    lines.push(sign + line.replace(/\n$/, ''));
    if (!line.endsWith('\n')) lines.push('\\ No newline at end of file');
  };
  let at = first.oldFrom - lead;
  for (const change of hunk) {
    for (; at < change.oldFrom; at++) add(' ', oldLines[at]!);
    for (; at < change.oldTo; at++) add('-', oldLines[at]!);
    for (let index = change.newFrom; index < change.newTo; index++) add('+', newLines[index]!);
  }
  for (; at < last.oldTo + trail; at++) add(' ', oldLines[at]!);
}

function range(from: number, to: number): string {
  const count = to - from;
  if (count === 1) return String(from + 1);
  return `${count === 0 ? from : from + 1},${count}`;
}
