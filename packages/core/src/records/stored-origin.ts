/**
 * Reads the origin of a recorded model turn. A value of another shape, or one that does not fit the parts any more, is
 * ignored: the turn is then sent without its provider's state. Pure.
 */

import type { Part } from '../protocol/content.ts';
import type { Origin } from '../protocol/origin.ts';
import { isRecord } from '../util/is-record.ts';

/** Undefined unless the value has the shape of an origin. */
export function toStoredOrigin(value: unknown): Origin | undefined {
  if (!isRecord(value)) return undefined;
  const { provider, protocol, model, endpoint, blocks = [], calls = {}, message = {} } = value;
  const isNamed = [provider, protocol, model, endpoint].every((name) => typeof name === 'string');
  const hasBlocks = Array.isArray(blocks) && blocks.every(isBlock);
  const hasCalls = isRecord(calls) && Object.values(calls).every(isRecord);
  return isNamed && hasBlocks && hasCalls && isRecord(message) ? (value as unknown as Origin) : undefined;
}

/** The origin if all of the stored content is in these parts as it is, thoughts aside. */
export function storedOriginOf(
  { content, origin }: { content?: unknown; origin?: Origin | undefined },
  parts: readonly Part[],
): Origin | undefined {
  if (!origin || !Array.isArray(content)) return undefined;
  const own = (content as unknown[]).filter((part) => !isThought(part));
  const sent = parts.filter((part) => !isThought(part));
  const isWhole = own.length === sent.length && own.every((part, index) => part === sent[index]);
  const fits = origin.blocks?.every(({ before }) => before <= sent.length) ?? true;
  return isWhole && fits ? origin : undefined;
}

function isThought(part: unknown): boolean {
  return isRecord(part) && part['thought'] === true;
}

function isBlock(block: unknown): boolean {
  if (!isRecord(block)) return false;
  const { before, type } = block;
  return Number.isInteger(before) && (before as number) >= 0 && typeof type === 'string';
}
