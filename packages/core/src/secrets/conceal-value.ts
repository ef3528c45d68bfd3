/**
 * Applies a function to every text of a value: the parts of a turn, the arguments or the display of a call. What did not
 * change stays the same object, so caches by identity keep working. Media and signatures are not text.
 */

type Change = (text: string) => string;

const NO_TEXT: ReadonlySet<string> = new Set(['data', 'thoughtSignature', 'mimeType', 'callId', 'id']);
/** Deeper values come from no tool of ours. */
const MAX_DEPTH = 32;

export function changeTexts<T>(value: T, change: Change): T {
  return changed(value, change, 0) as T;
}

function changed(value: unknown, change: Change, depth: number): unknown {
  if (typeof value === 'string') return change(value);
  if (typeof value !== 'object' || value === null || depth > MAX_DEPTH) return value;
  if (Array.isArray(value)) {
    const items = value.map((item: unknown) => changed(item, change, depth + 1));
    return items.every((item, index) => item === value[index]) ? value : items;
  }
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return value;
  let copy: Record<string, unknown> | undefined;
  for (const [key, item] of Object.entries(value)) {
    if (NO_TEXT.has(key) && typeof item === 'string') continue;
    const next = changed(item, change, depth + 1);
    if (next !== item) (copy ??= { ...(value as Record<string, unknown>) })[key] = next;
  }
  return copy ?? value;
}
