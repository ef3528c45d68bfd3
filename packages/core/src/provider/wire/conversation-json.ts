/**
 * Caches the JSON of a conversation as bytes that grow with it: a turn costs only what it adds. Contents never change
 * once they are part of a history, and bytes already handed out are never overwritten, so a later request cannot
 * corrupt one still in flight.
 */

import type { Content } from '../../protocol/content.ts';
import { toWellFormedJson } from './well-formed-json.ts';

/** A larger conversation is serialised again instead of held in memory twice. */
const MAX_KEPT_BYTES = 16 * 1024 * 1024;
const FIRST_CAPACITY = 16 * 1024;
const OPENING = '{"contents":[';

/** By the first content of each conversation. */
const kept = new WeakMap<Content, ContentsJson>();

/** `{"contents":[` followed by all contents. */
export function contentsJson(contents: readonly Content[]): Buffer {
  const [first] = contents;
  if (!first) return Buffer.from(OPENING);
  const known = kept.get(first);
  const shared = known?.sharedWith(contents) ?? 0;
  const json = known && shared === known.count ? known : new ContentsJson(known, shared);
  for (const content of contents.slice(shared)) json.add(content);
  if (json.bytes.length <= MAX_KEPT_BYTES) kept.set(first, json);
  else kept.delete(first);
  return json.bytes;
}

class ContentsJson {
  private readonly contents: Content[];
  /** The end offset of each content. */
  private readonly ends: number[];
  private buffer: Buffer;
  private length: number;

  /** Starts with the first `count` contents of another. */
  constructor(from?: ContentsJson, count = 0) {
    this.contents = from?.contents.slice(0, count) ?? [];
    this.ends = from?.ends.slice(0, count) ?? [];
    this.length = this.ends.at(-1) ?? OPENING.length;
    this.buffer = Buffer.allocUnsafe(Math.max(FIRST_CAPACITY, this.length * 2));
    if (from && count > 0) from.buffer.copy(this.buffer, 0, 0, this.length);
    else this.buffer.write(OPENING);
  }

  get count(): number {
    return this.contents.length;
  }

  get bytes(): Buffer {
    return this.buffer.subarray(0, this.length);
  }

  /** The number of leading contents that are the same. */
  sharedWith(contents: readonly Content[]): number {
    const { contents: own } = this;
    const most = Math.min(own.length, contents.length);
    let shared = 0;
    while (shared < most && own[shared] === contents[shared]) shared += 1;
    return shared;
  }

  add(content: Content): void {
    const json = toWellFormedJson(content);
    const text = this.contents.length === 0 ? json : `,${json}`;
    this.reserve(Buffer.byteLength(text));
    this.length += this.buffer.write(text, this.length);
    this.contents.push(content);
    this.ends.push(this.length);
  }

  private reserve(bytes: number): void {
    if (this.length + bytes <= this.buffer.length) return;
    const larger = Buffer.allocUnsafe(Math.max(this.buffer.length * 2, this.length + bytes));
    this.buffer.copy(larger, 0, 0, this.length);
    this.buffer = larger;
  }
}
