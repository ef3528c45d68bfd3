/**
 * Buffers the undrawn output of a command, bounded and not copied. When a flood exceeds the bound, the older half is
 * dropped, except for the modes it switched.
 */

/** Bytes. */
const MOST = 256 * 1024;
/** Taken at a time, or slightly more. */
const PORTION = 64 * 1024;

const ESCAPE = 0x1b;
const LINE_FEED = 0x0a;
// oxlint-disable-next-line no-control-regex -- control sequences are what is looked for
const SWITCHES = /\x1b\[\?[\d;]{1,32}[hl]/g;
const SWITCH = '\x1b[?';
/** More than a program has modes. */
const MOST_SWITCHES = 64;
const NOTHING = new Uint8Array(0);

export class ByteBacklog {
  private droppedLines = 0;
  private pieces: Uint8Array[] = [];
  private length = 0;

  get isEmpty(): boolean {
    return this.length === 0;
  }

  push(bytes: Uint8Array): void {
    this.pieces.push(bytes);
    this.length += bytes.length;
    if (this.length > MOST) this.skip();
  }

  /** Takes the oldest bytes; undefined when the buffer is empty. */
  take(): Uint8Array | undefined {
    const taken: Uint8Array[] = [];
    let length = 0;
    while (this.pieces.length > 0 && length < PORTION) {
      const piece = this.pieces.shift()!;
      taken.push(piece);
      length += piece.length;
    }
    this.length -= length;
    return length === 0 ? undefined : Buffer.concat(taken, length);
  }

  /** How many lines were dropped since the last time. */
  takeDropped(): number {
    const lines = this.droppedLines;
    this.droppedLines = 0;
    return lines;
  }

  clear(): void {
    this.pieces = [];
    this.length = 0;
  }

  /** The remaining bytes begin at a line or a sequence, not inside one. */
  private skip(): void {
    const dropped: Uint8Array[] = [];
    while (this.length > MOST / 2 && this.pieces.length > 1) {
      const piece = this.pieces.shift()!;
      dropped.push(piece);
      this.length -= piece.length;
      this.droppedLines += countLines(piece);
    }
    const [first = NOTHING, ...others] = this.pieces;
    const begin = first.findIndex((byte) => byte === ESCAPE || byte === LINE_FEED);
    const switches = Buffer.from(dropped.flatMap(switchesIn).slice(-MOST_SWITCHES).join(''));
    const rest = first.subarray(Math.max(begin, 0));
    this.droppedLines += countLines(first.subarray(0, first.length - rest.length));
    this.pieces = [switches, rest, ...others];
    this.length += switches.length + rest.length - first.length;
  }
}

function countLines(bytes: Uint8Array): number {
  let lines = 0;
  for (let at = bytes.indexOf(LINE_FEED); at >= 0; at = bytes.indexOf(LINE_FEED, at + 1)) lines++;
  return lines;
}

function switchesIn(bytes: Uint8Array): string[] {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  return text.includes(SWITCH) ? (text.toString('latin1').match(SWITCHES) ?? []) : [];
}
