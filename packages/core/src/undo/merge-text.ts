/**
 * Merges two changed versions of a text line by line: what only one side changed is taken, what both changed differently
 * is marked as a conflict. Pure.
 */

import { diffArrays } from 'diff';

export interface MergedText {
  readonly text: string;
  readonly conflicts: number;
}

interface Region {
  /** Lines of the base, end exclusive. */
  readonly from: number;
  readonly to: number;
  readonly lines: readonly string[];
}

export function mergeText(
  base: string,
  ours: string,
  theirs: string,
  labels: { ours: string; theirs: string },
): MergedText {
  const baseLines = toLines(base);
  const own = changedRegions(baseLines, toLines(ours));
  const other = changedRegions(baseLines, toLines(theirs));
  const merged: string[] = [];
  let at = 0;
  let conflicts = 0;
  while (own.length > 0 || other.length > 0) {
    const start = Math.min(own[0]?.from ?? Infinity, other[0]?.from ?? Infinity);
    merged.push(...baseLines.slice(at, start));
    const ownGroup: Region[] = [];
    const otherGroup: Region[] = [];
    let end = start;
    // Regions that touch are one: either side may have moved the line between them.
    for (let grows = true; grows;) {
      grows = false;
      for (const [queue, group] of [
        [own, ownGroup],
        [other, otherGroup],
      ] as const) {
        const [next] = queue;
        if (!next || next.from > end) continue;
        group.push(queue.shift()!);
        end = Math.max(end, next.to);
        grows = true;
      }
    }
    const ownLines = rebuild(baseLines, start, end, ownGroup);
    const otherLines = rebuild(baseLines, start, end, otherGroup);
    if (otherGroup.length === 0 || ownLines.join('') === otherLines.join('')) merged.push(...ownLines);
    else if (ownGroup.length === 0) merged.push(...otherLines);
    else {
      conflicts += 1;
      merged.push(
        `<<<<<<< ${labels.ours}\n`,
        ...ended(ownLines),
        '=======\n',
        ...ended(otherLines),
        `>>>>>>> ${labels.theirs}\n`,
      );
    }
    at = end;
  }
  merged.push(...baseLines.slice(at));
  return { text: merged.join(''), conflicts };
}

/** With their line ends. */
function toLines(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

function changedRegions(base: readonly string[], changed: readonly string[]): Region[] {
  const regions: Region[] = [];
  let at = 0;
  let open: { from: number; lines: string[] } | undefined;
  const close = () => {
    if (open) regions.push({ from: open.from, to: at, lines: open.lines });
    open = undefined;
  };
  for (const { added, removed, value } of diffArrays([...base], [...changed])) {
    if (added || removed) open ??= { from: at, lines: [] };
    if (added) open?.lines.push(...value);
    else if (removed) at += value.length;
    else {
      close();
      at += value.length;
    }
  }
  close();
  return regions;
}

function rebuild(base: readonly string[], from: number, to: number, regions: readonly Region[]): string[] {
  const lines: string[] = [];
  let at = from;
  for (const region of regions) {
    lines.push(...base.slice(at, region.from), ...region.lines);
    at = region.to;
  }
  return [...lines, ...base.slice(at, to)];
}

/** A marker begins a line of its own. */
function ended(lines: readonly string[]): string[] {
  const last = lines.at(-1);
  return last === undefined || last.endsWith('\n') ? [...lines] : [...lines.slice(0, -1), `${last}\n`];
}
