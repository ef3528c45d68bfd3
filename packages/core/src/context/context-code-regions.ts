/** Finds the code in a markdown text: fenced blocks and code spans. Pure, and linear in the text. */

export interface CodeRegion {
  start: number;
  /** Index of the first character after the region. */
  end: number;
}

/** In the order of the text, without overlaps. */
export function findCode(text: string): CodeRegion[] {
  const regions: CodeRegion[] = [];
  let position = 0;
  for (const fence of findFences(text)) {
    regions.push(...findSpans(text, position, fence.start), fence);
    position = fence.end;
  }
  return [...regions, ...findSpans(text, position, text.length)];
}

function findFences(text: string): CodeRegion[] {
  const fences: CodeRegion[] = [];
  let open: { start: number; mark: string } | undefined;
  for (const { 0: line, 1: mark = '', 2: rest = '', index } of text.matchAll(/^ {0,3}(`{3,}|~{3,})(.*)$/gm)) {
    if (!open) {
      if (!(mark.startsWith('`') && rest.includes('`'))) open = { start: index, mark };
    } else if (mark[0] === open.mark[0] && mark.length >= open.mark.length && rest.trim() === '') {
      fences.push({ start: open.start, end: index + line.length });
      open = undefined;
    }
  }
  return open ? [...fences, { start: open.start, end: text.length }] : fences;
}

/** A span ends at the next run of the same number of backticks, in the same paragraph. */
function findSpans(text: string, from: number, to: number): CodeRegion[] {
  const spans: CodeRegion[] = [];
  const open = new Map<number, number>();
  let last = from;
  for (const { 0: run, index } of text.slice(from, to).matchAll(/`+|\n[ \t]*\n/g)) {
    const at = from + index;
    if (run.startsWith('\n')) {
      open.clear();
      continue;
    }
    const start = open.get(run.length);
    if (start === undefined || start < last) {
      open.set(run.length, at);
      continue;
    }
    last = at + run.length;
    spans.push({ start, end: last });
    open.clear();
  }
  return spans;
}
