/** Converts and inspects parts: from the forms a user or caller passes to the form of the wire. Pure. */

import type { Content, Part, PartListUnion } from '../protocol/content.ts';
import { toParts } from '../util/part-list.ts';

export function createUserContent(input: PartListUnion): Content {
  return { role: 'user', parts: toParts(input) };
}

/** Flattens a list of part lists; the lists may also be passed one by one. */
export function mergePartListUnions(...lists: readonly (PartListUnion | readonly PartListUnion[])[]): Part[] {
  return lists.flat(2).flatMap(toParts);
}

/** A user turn with nothing but responses to calls. */
export function isFunctionResponse(content: Content): boolean {
  const parts = content.parts ?? [];
  return content.role === 'user' && parts.length > 0 && parts.every((part) => part.functionResponse);
}

export function hasFunctionResponse(content: Content | undefined): boolean {
  return content?.parts?.some((part) => part.functionResponse) ?? false;
}

export function hasFunctionCall(content: Content | undefined): boolean {
  return content?.parts?.some((part) => part.functionCall) ?? false;
}

/** Answer text of the model; adjacent ones may be joined without loss. */
export function isPlainText(part: Part): boolean {
  return (
    typeof part.text === 'string' &&
    !part.thought &&
    !part.thoughtSignature &&
    !part.functionCall &&
    !part.functionResponse &&
    !part.inlineData &&
    !part.fileData
  );
}

/** Only the model that created a signature can read it. */
export function withoutSignatures(content: Content): Content {
  if (!content.parts?.some((part) => part.thoughtSignature)) return content;
  return { ...content, parts: content.parts.map(({ thoughtSignature: _removed, ...part }) => part) };
}
