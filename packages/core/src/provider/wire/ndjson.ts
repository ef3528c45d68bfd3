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

  constructor(options: SseReaderOptions = {}) {
    this.maxFrameBytes = options.maxFrameBytes ?? DEFAULT_MAX_FRAME_BYTES;
  }

  push(bytes: Uint8Array): WireFrame[] {
    this.lines.push(Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length));
    if (this.lines.pendingBytes > this.maxFrameBytes) {
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
    return this.takeFrames();
  }

  private readLine(line: string): void {
    if (line.trim() !== '') this.frames.push({ data: line, bare: false });
  }

  private takeFrames(): WireFrame[] {
    const { frames } = this;
    if (frames.length > 0) this.frames = [];
    return frames;
  }
}
