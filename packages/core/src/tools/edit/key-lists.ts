/** Searches lists of keys for sublists. */

/** How often `list` contains `part` contiguously. */
export function countOf(list: readonly string[], part: readonly string[]): number {
  return ` ${list.join('  ')} `.split(` ${part.join('  ')} `).length - 1;
}

export function endsWith(list: readonly string[], part: readonly string[]): boolean {
  return list.length >= part.length && part.every((key, index) => list[list.length - part.length + index] === key);
}

export function startsWith(list: readonly string[], part: readonly string[]): boolean {
  return list.length >= part.length && part.every((key, index) => list[index] === key);
}
