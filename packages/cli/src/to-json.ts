/** Serialises JSON for stdout: complete, and harmless in a terminal. */

import { UNSEEN_CHARACTERS } from './unseen-characters.ts';

export interface JsonOptions {
  indent?: number;
  /** As for `JSON.stringify`. */
  replacer?: (key: string, value: unknown) => unknown;
}

/** Escapes every character that a terminal acts on or hides, so that the sink drops none of them. */
export function toJson(value: unknown, { indent, replacer }: JsonOptions = {}): string {
  return JSON.stringify(value, replacer, indent).replaceAll(UNSEEN_CHARACTERS, (unseen) =>
    Array.from({ length: unseen.length }, (_, index) => escapeUnit(unseen.charCodeAt(index))).join(''),
  );
}

function escapeUnit(unit: number): string {
  return `\\u${unit.toString(16).padStart(4, '0')}`;
}
