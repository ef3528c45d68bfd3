/** Reads a part list in any of its forms (a text, a part, a list of both), for every room that receives one. Pure. */

import type { Part, PartListUnion } from '../protocol/content.ts';

export function toParts(input: PartListUnion): Part[] {
  const list = Array.isArray(input) ? input : [input];
  return list.map((part) => (typeof part === 'string' ? { text: part } : part));
}

/** The text of a part list, without media and calls. */
export function partListUnionToString(input: PartListUnion): string {
  return toParts(input)
    .map((part) => part.text ?? '')
    .join('');
}
