/** A line of the editor by its row. A caret always stands in one; a row there is none of is an empty line. */

export function lineAt(lines: readonly string[], row: number): string {
  return lines[row] ?? '';
}
