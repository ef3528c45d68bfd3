/** The known name a mistyped one probably meant; undefined when none is near. */
export function nearest(name: string, known: readonly string[]): string | undefined {
  const ranked = known
    .map((candidate) => ({ candidate, distance: candidate.startsWith(name) ? 1 : editDistance(name, candidate) }))
    .toSorted((left, right) => left.distance - right.distance);
  const best = ranked[0];
  return best && best.distance <= Math.max(1, Math.floor(name.length / 3)) ? best.candidate : undefined;
}

/** Insertions, deletions, substitutions and swapped neighbours, each counted as one. */
function editDistance(left: string, right: string): number {
  const rows = [Array.from({ length: right.length + 1 }, (_, index) => index)];
  const at = (row: number, column: number) => rows[row]?.[column] ?? 0;
  for (let row = 1; row <= left.length; row++) {
    const current = [row];
    rows.push(current);
    for (let column = 1; column <= right.length; column++) {
      const isSame = left[row - 1] === right[column - 1];
      let best = Math.min(at(row - 1, column - 1) + (isSame ? 0 : 1), at(row - 1, column) + 1, at(row, column - 1) + 1);
      const isSwapped = left[row - 1] === right[column - 2] && left[row - 2] === right[column - 1];
      if (row > 1 && column > 1 && isSwapped) best = Math.min(best, at(row - 2, column - 2) + 1);
      current.push(best);
    }
  }
  return at(left.length, right.length);
}
