/**
 * Parses the bytes of an event stream into frames, wherever the bytes are cut. It owns fields and limits and does not
 * interpret a frame. Event names, ids and reconnection times are ignored: no caller uses them.
 */

import { ApiError } from '../../protocol/errors.ts';
import { type LineEnd, LineSplitter } from './line-splitter.ts';
import type { TextFrames, TextRun } from './text-frames.ts';

export interface SseFrame {
  /** The `data` lines of one event, joined. */
  data: string;
  /** The frame was bare JSON in the stream instead of `data` lines, as errors sometimes are. */
  bare: boolean;
  /** The text of one or more events instead of their data. */
  run?: TextRun;
}

export interface SseReaderOptions {
  /** A larger frame is rejected. Default 64 MiB. */
  maxFrameBytes?: number;
  /** Whether the end mark `[DONE]` is a frame. Default false: it carries no data. */
  showsEndMark?: boolean;
  /** How frames begin that the protocol does not read; a long one is dropped while it arrives. */
  skips?: readonly string[] | undefined;
  /** Knows the events that hold plain text, so that a row of them is one frame. */
  plain?: TextFrames | undefined;
  /** Gets each frame of a push as it is found: what it notes in `plain` is known for the next event of the same bytes. */
  onFrame?: ((frame: SseFrame) => void) | undefined;
}

export const DEFAULT_MAX_FRAME_BYTES = 64 * 1024 * 1024;
/** Bare JSON is an error object, or one whole answer; a longer text is neither. */
const MAX_BARE_LENGTH = 8 * 1024 * 1024;

const SPACE = 0x20;
const COLON = 0x3a;
const BRACKET = 0x5b;
const BRACE = 0x7b;
const BYTE_ORDER_MARK = '\uFEFF';
const DATA = 'data';
/** How the lines of an event usually begin. */
const NAME_LINE = 'event: ';
const DATA_LINE = 'data: ';
const FIRST_OF_DATA = 0x64;
/** The last event of Chat Completions, which gateways in between may send to others as well. */
export const END_MARK = '[DONE]';
/** The first characters of the last line of bare JSON. */
const CLOSING: ReadonlySet<string | undefined> = new Set([']', '}']);

/** One per stream. Both methods throw an ApiError when the stream becomes unreadable. */
export class SseReader {
  private readonly maxFrameBytes: number;
  private readonly showsEndMark: boolean;
  private readonly lines: LineSplitter;
  private frames: SseFrame[] = [];
  /** The unfinished event. */
  private data: string | undefined;
  private dataLength = 0;
  /** The unfinished bare JSON. */
  private bare: string | undefined;
  private isFirstLine = true;
  private readonly plain: TextFrames | undefined;
  private readonly skips: readonly string[];
  private onFrame: SseReaderOptions['onFrame'];

  constructor(options: SseReaderOptions = {}) {
    this.maxFrameBytes = options.maxFrameBytes ?? DEFAULT_MAX_FRAME_BYTES;
    this.showsEndMark = options.showsEndMark ?? false;
    this.plain = options.plain;
    this.skips = options.skips ?? [];
    this.onFrame = options.onFrame;
    this.lines = new LineSplitter((text, start, end) => this.readLine(text, start, end), {
      skips: this.skips.flatMap((start) => [DATA_LINE + start, `data:${start}`]),
      readAhead: (text, start, lineEnd) => this.readEvents(text, start, lineEnd),
    });
  }

  /** Returns the frames that these bytes complete, unless `onFrame` got them. The bytes must not change afterwards. */
  push(bytes: Uint8Array): SseFrame[] {
    this.lines.push(Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length));
    this.checkSize(this.lines.pendingBytes);
    return this.takeFrames();
  }

  /**
   * Returns the frame that lacked only the end of its event. An incomplete frame is an error: an answer must not lose
   * its tail unnoticed.
   */
  end(): SseFrame[] {
    // Judged as a whole before anyone sees them.
    this.onFrame = undefined;
    this.lines.end();
    if (this.bare !== undefined) this.endBare();
    if (this.data !== undefined) this.endEvent();
    const frames = this.takeFrames();
    if (frames.every(({ data, run }) => run || data === END_MARK || isJson(data))) return frames;
    throw networkError('The stream ended inside a frame.', 'TRUNCATED_FRAME');
  }

  private takeFrames(): SseFrame[] {
    const { frames } = this;
    if (frames.length > 0) this.frames = [];
    return frames;
  }

  private add(frame: SseFrame): void {
    if (this.onFrame) this.onFrame(frame);
    else this.frames.push(frame);
  }

  /**
   * Reads events in the form that nearly every server writes, a line of data after at most a name, without looking at
   * their lines one by one. Returns where the first one begins that has another form, or is not whole.
   */
  private readEvents(text: string, start: number, lineEnd: LineEnd): number {
    if (this.data !== undefined || this.bare !== undefined) return start;
    const isPlainEnd = lineEnd === '\n';
    for (let from = start; ;) {
      const run = isPlainEnd ? this.plain?.readRun(text, from) : undefined;
      if (run) {
        this.add({ data: '', bare: false, run });
        from = run.end;
      }
      const line = isPlainEnd && text.startsWith(NAME_LINE, from) ? text.indexOf(lineEnd, from) + 1 : from;
      const end = text.startsWith(DATA_LINE, line) ? text.indexOf(lineEnd, line) : -1;
      const next = end + lineEnd.length;
      if (end === -1 || !text.startsWith(lineEnd, next)) return from;
      // Either character alone ends a line as well.
      if (!isPlainEnd && (text.indexOf('\n', line) !== end + 1 || text.indexOf('\r', line) !== end)) return from;
      this.readData(text, line + DATA_LINE.length, end);
      from = next + lineEnd.length;
    }
  }

  /** Reads the data of a whole event. */
  private readData(text: string, start: number, end: number): void {
    this.isFirstLine = false;
    this.checkSize(end - start);
    for (const skip of this.skips) if (text.startsWith(skip, start)) return;
    this.data = text.slice(start, end);
    this.endEvent();
  }

  private readLine(text: string, lineStart: number, end: number): void {
    let start = lineStart;
    if (this.isFirstLine) {
      this.isFirstLine = false;
      if (text.startsWith(BYTE_ORDER_MARK, start)) start += BYTE_ORDER_MARK.length;
    }
    if (isDataLine(text, start, end)) {
      if (this.bare !== undefined) this.endBare();
      this.addData(text, start + DATA.length, end);
    } else if (start === end) {
      if (this.bare !== undefined) this.addBare('');
      else if (this.data !== undefined) this.endEvent();
    } else if (this.bare !== undefined || opensJson(text.charCodeAt(start))) {
      this.addBare(text.slice(start, end));
    }
  }

  private addData(text: string, colon: number, end: number): void {
    let start = Math.min(colon + 1, end);
    if (start < end && text.charCodeAt(start) === SPACE) start += 1;
    // A character is at least one byte: a text over the limit in characters is also over it in bytes.
    this.dataLength += end - start;
    this.checkSize(this.dataLength);
    const value = text.slice(start, end);
    this.data = this.data === undefined ? value : `${this.data}\n${value}`;
  }

  private endEvent(): void {
    const { data = '' } = this;
    this.data = undefined;
    this.dataLength = 0;
    if (data !== END_MARK || this.showsEndMark) this.add({ data, bare: false });
  }

  private addBare(line: string): void {
    const mayClose = this.bare === undefined || CLOSING.has(line[0]);
    this.bare = this.bare === undefined ? line : `${this.bare}\n${line}`;
    if (this.bare.length > MAX_BARE_LENGTH || (mayClose && isJson(this.bare))) this.endBare();
  }

  private endBare(): void {
    const { bare = '' } = this;
    this.bare = undefined;
    this.add({ data: bare, bare: true });
  }

  private checkSize(bytes: number): void {
    if (bytes > this.maxFrameBytes) {
      throw networkError(`A frame of the stream is larger than ${this.maxFrameBytes} bytes.`, 'FRAME_TOO_LARGE');
    }
  }
}

function isDataLine(text: string, start: number, end: number): boolean {
  if (text.charCodeAt(start) !== FIRST_OF_DATA || !text.startsWith(DATA, start)) return false;
  const next = start + DATA.length;
  return next === end || text.charCodeAt(next) === COLON;
}

/** Whether a line of bare JSON begins with this character. */
function opensJson(character: number): boolean {
  return character === BRACE || character === BRACKET;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    // Invalid JSON is an expected result here, not a failure.
    return false;
  }
}

function networkError(message: string, code: string): ApiError {
  return new ApiError(message, { reason: 'network', code });
}
