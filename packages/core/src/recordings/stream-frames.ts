/** The frames of a stream: lines with JSON, and the texts in them by their place. */

import { isRecord } from '../util/is-record.ts';

/** A text, by the object that holds it. */
export interface Leaf {
  holder: Record<string, unknown>;
  key: string;
}

export interface Frame {
  prefix: string;
  value: unknown;
  suffix: string;
}

/** Undefined for a line that is no JSON. */
export function parseFrame(line: string): Frame | undefined {
  const [, prefix = '', json = '', suffix = ''] = /^((?:data:)?\s*)([[{].*[\]}])(\s*)$/.exec(line) ?? [];
  if (json === '') return undefined;
  try {
    return { prefix, value: JSON.parse(json) as unknown, suffix };
  } catch {
    // A line that only looks like JSON is text.
    return undefined;
  }
}

/** The texts of a value, by their place in it. */
export function collect(value: unknown, path: string, texts: Map<string, Leaf[]>): void {
  if (typeof value !== 'object' || value === null) return;
  for (const [key, item] of Object.entries(value)) {
    if (typeof item !== 'string') {
      collect(item, `${path}/${key}`, texts);
      continue;
    }
    const at = `${path}/${key}`;
    const leaf = { holder: value as Record<string, unknown>, key };
    const known = texts.get(at);
    if (known) known.push(leaf);
    else texts.set(at, [leaf]);
  }
}

export function holdsAny(value: unknown, changed: ReadonlySet<unknown>): boolean {
  if (changed.has(value)) return true;
  if (Array.isArray(value)) return value.some((item) => holdsAny(item, changed));
  return isRecord(value) && Object.values(value).some((item) => holdsAny(item, changed));
}
