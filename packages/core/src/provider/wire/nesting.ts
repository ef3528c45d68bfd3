/** Bounds the nesting of what a server sends: readers above the wire walk values recursively. */

/** Deeper than any plausible call; services themselves reject deeper nesting when it is sent back. */
const MAX_DEPTH = 200;

export function isTooDeep(value: unknown): boolean {
  return isDeeper(value, MAX_DEPTH);
}

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (levels === 0) return true;
  for (const key in value) {
    const field = (value as Record<string, unknown>)[key];
    if (typeof field === 'object' && isDeeper(field, levels - 1)) return true;
  }
  return false;
}
