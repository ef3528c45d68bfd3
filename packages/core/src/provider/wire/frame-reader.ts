/**
 * Collects what a protocol's reader makes of the frames of one read from the network. A frame that fails the stream does
 * so after the frames before it were handed out.
 */

import type { GenerateContentResponse } from '../../protocol/content.ts';
import { mergeAdjacentText } from '../adjacent-text.ts';
import type { AnswerReader, WireFrame } from './wire-protocol.ts';

export class FrameReader {
  private readonly reader: AnswerReader;
  private responses: GenerateContentResponse[] = [];
  private failure: { error: unknown } | undefined;

  constructor(reader: AnswerReader) {
    this.reader = reader;
  }

  readonly read = (frame: WireFrame): void => {
    if (frame.data === '' && !frame.run) return;
    for (const response of this.reader.read(frame)) this.responses.push(response);
  };

  /** The responses of the frames that `split` reads or returns. */
  take(split: () => readonly WireFrame[]): GenerateContentResponse[] {
    try {
      for (const frame of split()) this.read(frame);
    } catch (error) {
      this.failure = { error };
    }
    const { responses } = this;
    if (responses.length > 0) this.responses = [];
    return mergeAdjacentText(responses);
  }

  throwIfFailed(): void {
    if (this.failure) throw this.failure.error;
  }
}
