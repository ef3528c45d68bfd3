/** Reads a unified diff as numbered lines, and pairs the lines that replace each other. Pure. */

export interface DiffLine {
  readonly kind: 'added' | 'removed' | 'context' | 'gap';
  readonly number: number;
  readonly text: string;
  /** The text of the line it replaces, or that replaces it. */
  readonly pair?: string | undefined;
}

const HUNK = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@/;

export function parseDiff(diff: string): DiffLine[] {
  const lines: DiffLine[] = [];
  let before = 0;
  let after = 0;
  let isInside = false;
  for (const line of diff.split('\n')) {
    const hunk = HUNK.exec(line);
    if (hunk) {
      if (isInside) lines.push({ kind: 'gap', number: 0, text: '' });
      before = Number(hunk[1]);
      after = Number(hunk[2]);
      isInside = true;
    } else if (isInside && line.startsWith('+')) lines.push({ kind: 'added', number: after++, text: line.slice(1) });
    else if (isInside && line.startsWith('-')) lines.push({ kind: 'removed', number: before++, text: line.slice(1) });
    else if (isInside && line.startsWith(' ')) {
      lines.push({ kind: 'context', number: after++, text: line.slice(1) });
      before++;
    }
  }
  return pairLines(lines);
}

/** How many lines a diff adds and removes. */
export function countChanges(diff: string): { added: number; removed: number } {
  const lines = parseDiff(diff);
  const count = (wanted: DiffLine['kind']) => lines.filter(({ kind }) => kind === wanted).length;
  return { added: count('added'), removed: count('removed') };
}

/** In a block of removed lines that added lines follow, the first belongs to the first, and so on. */
function pairLines(lines: readonly DiffLine[]): DiffLine[] {
  const paired = [...lines];
  for (let index = 0; index < lines.length;) {
    const removed = runOf(lines, index, 'removed');
    const added = runOf(lines, index + removed, 'added');
    for (let offset = 0; offset < Math.min(removed, added); offset++) {
      const [one, other] = [lines[index + offset]!, lines[index + removed + offset]!];
      paired[index + offset] = { ...one, pair: other.text };
      paired[index + removed + offset] = { ...other, pair: one.text };
    }
    index += Math.max(removed + added, 1);
  }
  return paired;
}

function runOf(lines: readonly DiffLine[], start: number, kind: DiffLine['kind']): number {
  let end = start;
  while (lines[end]?.kind === kind) end++;
  return end - start;
}
