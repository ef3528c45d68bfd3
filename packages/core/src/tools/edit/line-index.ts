/** Indexes the line starts of a text and finds the line of an offset. */

export interface LineIndex {
  content: string;
  /** Offsets of the first character of each line. */
  starts: number[];
}

export function indexLines(content: string): LineIndex {
  const starts = [0];
  for (let at = content.indexOf('\n'); at !== -1; at = content.indexOf('\n', at + 1)) starts.push(at + 1);
  return { content, starts };
}

/** The line of an offset, from 0. */
export function lineOf({ starts }: LineIndex, offset: number): number {
  let low = 0;
  let high = starts.length;
  while (low + 1 < high) {
    const middle = (low + high) >>> 1;
    if (starts[middle]! <= offset) low = middle;
    else high = middle;
  }
  return low;
}
