/**
 * Splits bytes into whole lines, whether they end in LF, CR or CRLF and wherever the bytes are cut. All lines that
 * end in one chunk are decoded at once, and a line is passed on as a range of that text. Only whole lines are
 * decoded, so no character is ever split; every byte is scanned a fixed number of times.
 */

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;

/** Called with the text from `start` up to `end`, without the line ending. */
export type LineHandler = (text: string, start: number, end: number) => void;

export type LineEnd = '\n' | '\r\n';

export interface LineSplitterOptions {
  /** How lines begin that may be left out, in ASCII. One that spans several chunks is not decoded, nor kept in memory. */
  skips?: readonly string[] | undefined;
  /**
   * Called where a line begins; returns where the first line begins that the caller has not read itself. LF is the end of
   * every line of the text, CRLF the end of the next one.
   */
  readAhead?: ((text: string, start: number, lineEnd: LineEnd) => number) | undefined;
}

export class LineSplitter {
  private readonly onLine: LineHandler;
  private readonly skips: readonly string[];
  private readonly readAhead: LineSplitterOptions['readAhead'];
  private readonly longestSkip: number;
  /** The unfinished line, in the chunks it arrived in. */
  private pieces: Buffer[] = [];
  private isSkipping = false;
  private afterCarriageReturn = false;
  /** The number of bytes of the unfinished line. */
  pendingBytes = 0;

  constructor(onLine: LineHandler, { skips = [], readAhead }: LineSplitterOptions = {}) {
    this.onLine = onLine;
    this.readAhead = readAhead;
    this.skips = skips;
    this.longestSkip = Math.max(0, ...skips.map(({ length }) => length));
  }

  push(chunk: Buffer): void {
    if (this.isSkipping) {
      const end = firstOf(chunk.indexOf(LINE_FEED), chunk.indexOf(CARRIAGE_RETURN));
      if (end === -1) this.pendingBytes += chunk.length;
      else this.endSkipped(chunk, end);
    } else {
      const whole = Math.max(chunk.lastIndexOf(LINE_FEED), chunk.lastIndexOf(CARRIAGE_RETURN)) + 1;
      if (whole > 0) this.readLines(this.decode(chunk, whole));
      this.keep(chunk.subarray(whole));
    }
  }

  /** Emits the last line if it has no line ending. */
  end(): void {
    if (this.pendingBytes === 0 || this.isSkipping) return;
    const text = this.decode(Buffer.alloc(0), 0);
    this.onLine(text, 0, text.length);
  }

  /** Decodes the buffered bytes and the chunk up to `end`. */
  private decode(chunk: Buffer, end: number): string {
    if (this.pendingBytes === 0) return chunk.toString('utf8', 0, end);
    const bytes = Buffer.concat([...this.pieces, chunk.subarray(0, end)], this.pendingBytes + end);
    this.pieces = [];
    this.pendingBytes = 0;
    return bytes.toString('utf8');
  }

  private keep(piece: Buffer): void {
    if (piece.length === 0) return;
    this.pieces.push(piece);
    this.pendingBytes += piece.length;
    if (this.pendingBytes >= this.longestSkip && this.pendingBytes - piece.length < this.longestSkip) this.maybeSkip();
  }

  /** Called once per unfinished line, when enough of it has arrived. */
  private maybeSkip(): void {
    const start = Buffer.concat(this.pieces).toString('latin1', 0, this.longestSkip);
    if (!this.skips.some((skip) => start.startsWith(skip))) return;
    this.isSkipping = true;
    this.pieces = [];
  }

  private endSkipped(chunk: Buffer, end: number): void {
    this.isSkipping = false;
    this.pendingBytes = 0;
    this.afterCarriageReturn = chunk[end] === CARRIAGE_RETURN;
    this.push(chunk.subarray(end + 1));
  }

  /** The text ends with a line ending. */
  private readLines(text: string): void {
    let start = this.skipLineFeed(text, 0);
    // Each kind of line ending is searched once and remembered, so that a stream of one kind is not searched
    // repeatedly for the other.
    let lineFeed = text.indexOf('\n', start);
    let carriageReturn = text.indexOf('\r', start);
    while (start < text.length) {
      const ahead = this.lookAhead(text, start, lineFeed, carriageReturn);
      if (ahead === start) {
        const end = firstOf(lineFeed, carriageReturn);
        this.onLine(text, start, end);
        this.afterCarriageReturn = end === carriageReturn;
        start = this.skipLineFeed(text, end + 1);
      } else {
        start = ahead;
      }
      if (lineFeed !== -1 && lineFeed < start) lineFeed = findLineFeed(text, start);
      if (carriageReturn !== -1 && carriageReturn < start) carriageReturn = text.indexOf('\r', start);
    }
  }

  private lookAhead(text: string, start: number, lineFeed: number, carriageReturn: number): number {
    if (!this.readAhead) return start;
    if (carriageReturn === -1) return this.readAhead(text, start, '\n');
    return carriageReturn === lineFeed - 1 ? this.readAhead(text, start, '\r\n') : start;
  }

  /** The LF of a CRLF does not start a line, even when it arrives with the next bytes. */
  private skipLineFeed(text: string, at: number): number {
    if (!this.afterCarriageReturn || at >= text.length) return at;
    this.afterCarriageReturn = false;
    return text.charCodeAt(at) === LINE_FEED ? at + 1 : at;
  }
}

/** An empty line, one in three of an event stream, is found without a search. */
function findLineFeed(text: string, start: number): number {
  return text.charCodeAt(start) === LINE_FEED ? start : text.indexOf('\n', start);
}

function firstOf(one: number, other: number): number {
  if (one === -1) return other;
  return other === -1 ? one : Math.min(one, other);
}
