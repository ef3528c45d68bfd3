/**
 * OutputRing: keeps the beginning and the end of a text stream in constant memory. It
 * counts what it drops from the middle. It keeps bytes in one buffer outside the heap,
 * because a flood of strings costs many times its size.
 */

/** How much of one command's output is kept, in bytes of UTF-8. */
const DEFAULT_OUTPUT_CAP = 16 * 1024 * 1024;
const GROWTH = 1024 * 1024;
const SCRATCH = 64 * 1024;

const encoder = new TextEncoder();

export class OutputRing {
  private readonly cap: number;
  /** Bytes before this offset are never overwritten. */
  private readonly headEnd: number;
  private readonly buffer: ArrayBuffer;
  private readonly bytes: Uint8Array;
  private readonly scratch: Uint8Array;
  private position = 0;
  private wrapped = false;
  private pushedCount = 0;

  constructor(cap = DEFAULT_OUTPUT_CAP) {
    this.cap = cap;
    this.headEnd = Math.floor(cap / 2);
    this.buffer = new ArrayBuffer(0, { maxByteLength: cap });
    this.bytes = new Uint8Array(this.buffer);
    this.scratch = new Uint8Array(Math.min(SCRATCH, cap * 3));
  }

  /** Characters pushed so far. */
  get total(): number {
    return this.pushedCount;
  }

  push(text: string): void {
    this.pushedCount += text.length;
    for (let index = 0; index < text.length;) {
      const { read, written } = encoder.encodeInto(index === 0 ? text : text.slice(index), this.scratch);
      this.append(this.scratch.subarray(0, written));
      index += read;
    }
  }

  /**
   * Everything, or head and tail with a line between them that states how much is missing.
   * Releases the memory: the ring is empty afterwards.
   */
  take(): string {
    const text = this.wrapped ? this.headAndTail() : decode([this.bytes.subarray(0, this.position)]);
    this.buffer.resize(0);
    this.position = 0;
    this.wrapped = false;
    this.pushedCount = 0;
    return text;
  }

  private headAndTail(): string {
    const head = decode([this.bytes.subarray(0, this.headEnd)]);
    const older = withoutContinuation(this.bytes.subarray(this.position, this.cap));
    const newer = this.bytes.subarray(this.headEnd, this.position);
    const tail = decode(older.length > 0 ? [older, newer] : [withoutContinuation(newer)]);
    return `${head}\n... [${this.pushedCount - head.length - tail.length} characters omitted] ...\n${tail}`;
  }

  private append(bytes: Uint8Array): void {
    for (let index = 0; index < bytes.length;) {
      if (this.position === this.cap) {
        this.position = this.headEnd;
        this.wrapped = true;
      }
      const piece = bytes.subarray(index, index + this.cap - this.position);
      this.grow(this.position + piece.length);
      this.bytes.set(piece, this.position);
      this.position += piece.length;
      index += piece.length;
    }
  }

  private grow(needed: number): void {
    if (needed <= this.buffer.byteLength) return;
    this.buffer.resize(Math.min(this.cap, Math.ceil(needed / GROWTH) * GROWTH));
  }
}

/** The beginning and the end of a text, together at most `limit` characters, with the omitted count between them. */
export function headAndTail(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const half = Math.floor(limit / 2);
  const head = text.slice(0, isLowSurrogate(text, half) ? half - 1 : half);
  const start = text.length - half;
  const tail = text.slice(isLowSurrogate(text, start) ? start + 1 : start);
  // Joined, because a template would keep slices, and through them the whole text, in memory.
  return [head, `... [${text.length - head.length - tail.length} characters omitted] ...`, tail].join('\n');
}

/** A character cut off at the end is dropped and counts as omitted. */
function decode(pieces: Uint8Array[]): string {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  return pieces.map((piece) => decoder.decode(piece, { stream: true })).join('');
}

/** Starts at the first byte that begins a character. */
function withoutContinuation(bytes: Uint8Array): Uint8Array {
  const start = bytes.findIndex((byte) => (byte & 0xc0) !== 0x80);
  return bytes.subarray(start === -1 ? bytes.length : start);
}

function isLowSurrogate(text: string, index: number): boolean {
  const code = text.charCodeAt(index);
  return code >= 0xdc00 && code <= 0xdfff;
}
