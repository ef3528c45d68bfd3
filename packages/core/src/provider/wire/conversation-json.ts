/**
 * Caches the JSON of a conversation as bytes that grow with it: a turn costs only what it adds, and the bytes of earlier
 * turns stay equal, which prompt caches require. Contents never change once they are part of a history, and bytes
 * already handed out are never overwritten, so a later request cannot corrupt one still in flight.
 */

import type { Content } from '../../protocol/content.ts';

/** A larger conversation is serialised again instead of held in memory twice. */
const MAX_KEPT_BYTES = 16 * 1024 * 1024;
const FIRST_CAPACITY = 16 * 1024;

/**
 * Writes one content as JSON values separated by commas, or as nothing. `before` is the content before it. Equal
 * arguments must give equal text.
 */
export type WriteContent = (content: Content, before: Content | undefined) => string;

export interface ConversationWriter {
  /**
   * The opening followed by all contents. `key` names what the text depends on beside the contents, such as the model
   * whose state is sent back.
   */
  bytes(contents: readonly Content[], key?: string): Buffer;
}

export function createConversationWriter(opening: string, write: (key: string) => WriteContent): ConversationWriter {
  /** By the first content of each conversation. */
  const kept = new WeakMap<Content, { key: string; json: ContentsJson }>();
  return {
    bytes(contents, key = '') {
      const [first] = contents;
      if (!first) return Buffer.from(opening);
      const entry = kept.get(first);
      const known = entry?.key === key ? entry.json : undefined;
      const shared = known?.sharedWith(contents) ?? 0;
      const json = known && shared === known.count ? known : new ContentsJson(opening, write(key), known, shared);
      for (const content of contents.slice(shared)) json.add(content);
      if (json.bytes.length <= MAX_KEPT_BYTES) kept.set(first, { key, json });
      else kept.delete(first);
      return json.bytes;
    },
  };
}

class ContentsJson {
  private readonly contents: Content[];
  /** The end offset of each content. */
  private readonly ends: number[];
  private readonly opening: number;
  private readonly write: WriteContent;
  private buffer: Buffer;
  private length: number;

  /** Starts with the first `count` contents of another. */
  constructor(opening: string, write: WriteContent, from?: ContentsJson, count = 0) {
    this.opening = Buffer.byteLength(opening);
    this.write = write;
    this.contents = from?.contents.slice(0, count) ?? [];
    this.ends = from?.ends.slice(0, count) ?? [];
    this.length = this.ends.at(-1) ?? this.opening;
    this.buffer = Buffer.allocUnsafe(Math.max(FIRST_CAPACITY, this.length * 2));
    if (from && count > 0) from.buffer.copy(this.buffer, 0, 0, this.length);
    else this.buffer.write(opening);
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
    const json = this.write(content, this.contents.at(-1));
    const text = json === '' || this.length === this.opening ? json : `,${json}`;
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
