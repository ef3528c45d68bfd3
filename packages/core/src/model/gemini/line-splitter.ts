/**
 * Bytes in, whole lines out, whether they end in LF, CR or CRLF and wherever
 * the bytes are cut. A line is handed out as a range of bytes: nothing is copied
 * unless it came in pieces. Every byte is looked at a fixed number of times.
 */

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;

/** Called with the bytes from `start` up to `end`, without the line's end. */
export type LineHandler = (bytes: Buffer, start: number, end: number) => void;

export class LineSplitter {
  private readonly onLine: LineHandler;
  /** The line under way, in the pieces it came in. */
  private pieces: Buffer[] = [];
  private afterCarriageReturn = false;
  /** How many bytes of the line under way have come. */
  pendingBytes = 0;

  constructor(onLine: LineHandler) {
    this.onLine = onLine;
  }

  push(chunk: Buffer): void {
    let start = this.skipLineFeed(chunk, 0);
    // Each kind of end is looked for once and remembered, so that a stream of one kind is not searched
    // again and again for the other.
    let lineFeed = chunk.indexOf(LINE_FEED, start);
    let carriageReturn = chunk.indexOf(CARRIAGE_RETURN, start);
    for (;;) {
      const end = firstOf(lineFeed, carriageReturn);
      if (end === -1) break;
      this.endLine(chunk, start, end);
      this.afterCarriageReturn = end === carriageReturn;
      start = this.skipLineFeed(chunk, end + 1);
      if (lineFeed !== -1 && lineFeed < start) lineFeed = chunk.indexOf(LINE_FEED, start);
      if (carriageReturn !== -1 && carriageReturn < start) carriageReturn = chunk.indexOf(CARRIAGE_RETURN, start);
    }
    this.keep(chunk.subarray(start));
  }

  /** Hands out the last line, if it has no end. */
  end(): void {
    if (this.pendingBytes > 0) this.endLine(Buffer.alloc(0), 0, 0);
  }

  /** The second half of a CRLF is no line of its own, also when it comes with the next bytes. */
  private skipLineFeed(chunk: Buffer, at: number): number {
    if (!this.afterCarriageReturn || at >= chunk.length) return at;
    this.afterCarriageReturn = false;
    return chunk[at] === LINE_FEED ? at + 1 : at;
  }

  private keep(piece: Buffer): void {
    if (piece.length === 0) return;
    this.pieces.push(piece);
    this.pendingBytes += piece.length;
  }

  private endLine(chunk: Buffer, start: number, end: number): void {
    if (this.pendingBytes === 0) {
      this.onLine(chunk, start, end);
      return;
    }
    this.keep(chunk.subarray(start, end));
    const line = Buffer.concat(this.pieces, this.pendingBytes);
    this.pieces = [];
    this.pendingBytes = 0;
    this.onLine(line, 0, line.length);
  }
}

function firstOf(one: number, other: number): number {
  if (one === -1) return other;
  return other === -1 ? one : Math.min(one, other);
}
