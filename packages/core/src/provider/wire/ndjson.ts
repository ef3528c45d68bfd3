/** Parses bytes into the lines of an NDJSON stream, wherever the bytes are cut. It does not interpret a line. */

import { ApiError } from '../../protocol/errors.ts';
import { LineSplitter } from './line-splitter.ts';
import { DEFAULT_MAX_FRAME_BYTES, type SseReaderOptions } from './sse.ts';
import type { WireFrame } from './wire-protocol.ts';

/** One per stream, with the methods of SseReader. */
export class NdjsonReader {
  private readonly maxFrameBytes: number;
  private readonly lines = new LineSplitter((text, start, end) => this.readLine(text.slice(start, end)));
  private frames: WireFrame[] = [];
  /** The unfinished object of several lines. */
  private indented: string | undefined;

  constructor(options: SseReaderOptions = {}) {
    this.maxFrameBytes = options.maxFrameBytes ?? DEFAULT_MAX_FRAME_BYTES;
  }

  push(bytes: Uint8Array): WireFrame[] {
    this.lines.push(Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length));
    if (this.lines.pendingBytes + (this.indented?.length ?? 0) > this.maxFrameBytes) {
      throw new ApiError(`A line of the stream is larger than ${this.maxFrameBytes} bytes.`, {
        reason: 'network',
        code: 'FRAME_TOO_LARGE',
      });
    }
    return this.takeFrames();
  }

  /** Returns the last line if it lacked only its line ending; the protocol rejects half a line as unreadable. */
  end(): WireFrame[] {
    this.lines.end();
    if (this.indented !== undefined) this.endIndented();
    return this.takeFrames();
  }

  private readLine(line: string): void {
    if (this.indented !== undefined || line.trim() === '{') {
      this.readIndented(line);
      return;
    }
    if (line.trim() !== '') this.frames.push({ data: line, bare: false });
  }

  /** A gateway that does not stream may write one object over several lines. */
  private readIndented(line: string): void {
    this.indented = `${this.indented ?? ''}${line}\n`;
    if (line.startsWith('}')) this.endIndented();
  }

  private endIndented(): void {
    this.frames.push({ data: this.indented ?? '', bare: false });
    this.indented = undefined;
  }

  private takeFrames(): WireFrame[] {
    const { frames } = this;
    if (frames.length > 0) this.frames = [];
    return frames;
  }
}
