/** Lines of a text and of the editor. Pure. */

/** A line of the editor by its row; empty for a row outside of it. */
export function lineAt(lines: readonly string[], row: number): string {
  return lines[row] ?? '';
}

/** How many lines a text has, counting `\r\n`, `\r` and `\n` as one break each; stops at `limit`. */
export function countLines(text: string, limit = Number.POSITIVE_INFINITY): number {
  let lines = 1;
  for (let index = 0; index < text.length && lines < limit; index++) {
    const code = text.charCodeAt(index);
    if (code === 0x0a || (code === 0x0d && text.charCodeAt(index + 1) !== 0x0a)) lines++;
  }
  return lines;
}
