/**
 * Sends one answer on one socket. It owns the order: everything before a gate or an ending has been passed to the
 * kernel before the gate is reached or the connection ended. It never throws because a client disconnected; it just
 * stops.
 */

import type { ServerResponse } from 'node:http';
import { setImmediate as nextLoop } from 'node:timers/promises';
import type { Answer, EndingPiece, FramePiece, Head, Piece } from './answer.ts';
import { Chunker } from './chunking.ts';
import { BodyEncoder, encodingHeader } from './encode-body.ts';
import { eventEnd, eventStart } from './sse-body.ts';
import type { Wire } from './sse-body.ts';

export interface Stage {
  readonly response: ServerResponse;
  /** Settles when either side has closed the connection. */
  readonly gone: Promise<void>;
  /** Called just before the server itself breaks the connection. */
  readonly onBreak: () => void;
  /** Fields the service adds to each frame. */
  readonly stamp: Readonly<Record<string, string>>;
  readonly wire: Wire;
}

/** Resolves when the answer is sent, or the client has closed the connection. */
export async function playAnswer(answer: Answer, stage: Stage): Promise<void> {
  const { response } = stage;
  if (answer.head) {
    response.writeHead(answer.head.status, headersOf(answer.head, answer.wire));
    response.flushHeaders();
  }
  const writer = new BodyWriter(answer, stage);
  for (const piece of answer.pieces) {
    if (response.destroyed) return;
    if (piece.kind === 'ending') return playEnding(piece.how, writer, stage);
    await playPiece(piece, writer, stage);
  }
  return playEnding('end', writer, stage);
}

/** The length of an encoded body is unknown before it is sent. */
function headersOf({ headers }: Head, { encoding }: Wire): Readonly<Record<string, string>> {
  if (encoding === undefined) return headers;
  const { 'content-length': _length, ...others } = headers;
  return { ...others, 'content-encoding': encodingHeader(encoding) };
}

async function playPiece(piece: Exclude<Piece, EndingPiece>, writer: BodyWriter, stage: Stage): Promise<void> {
  switch (piece.kind) {
    case 'frame':
      return writer.writeFrame(piece);
    case 'bytes':
      return writer.writeBytes(piece.bytes);
    case 'gate':
      await writer.flush();
      piece.arrive();
      await Promise.race([piece.released, stage.gone]);
  }
}

async function playEnding(how: EndingPiece['how'], writer: BodyWriter, stage: Stage): Promise<void> {
  const { response } = stage;
  if (how === 'end') await writer.finish();
  await writer.flush();
  if (response.destroyed) return;
  switch (how) {
    case 'end':
      await Promise.race([new Promise<void>((resolve) => response.end(resolve)), stage.gone]);
      return;
    case 'stall':
      return stage.gone;
    case 'reset':
      stage.onBreak();
      response.socket?.resetAndDestroy();
      return stage.gone;
    case 'close':
      stage.onBreak();
      response.socket?.destroySoon();
      return stage.gone;
  }
}

class BodyWriter {
  private readonly stage: Stage;
  private readonly wire: Wire;
  private readonly chunker: Chunker;
  private readonly encoder: BodyEncoder | undefined;
  private readonly lastFrame: FramePiece | undefined;
  private framesWritten = 0;
  private unwritten = 0;
  private onWritten: (() => void) | undefined;

  constructor(answer: Answer, stage: Stage) {
    this.stage = stage;
    this.wire = { ...stage.wire, ...answer.wire };
    this.chunker = new Chunker(this.wire.chunking ?? 'frame');
    const { encoding, encodingEnd } = this.wire;
    this.encoder = encoding === undefined ? undefined : new BodyEncoder(encoding, encodingEnd);
    this.lastFrame = answer.pieces.findLast((piece) => piece.kind === 'frame');
  }

  async writeFrame(piece: FramePiece): Promise<void> {
    const frame = piece.exact ? piece.frame : { ...piece.frame, ...this.stage.stamp };
    if (this.wire.framing === 'ndjson') return this.writeBytes(Buffer.from(`${JSON.stringify(frame)}\n`));
    const start = eventStart(frame, this.wire, this.framesWritten++, { name: piece.event, literal: piece.literal });
    const isOpenEnded = this.wire.noFinalBlankLine && piece === this.lastFrame;
    await this.writeBytes(Buffer.from(isOpenEnded ? start : start + eventEnd(this.wire)));
  }

  async writeBytes(bytes: Uint8Array): Promise<void> {
    await this.send(this.chunker.push(this.encoder ? await this.encoder.encode(bytes) : bytes));
  }

  /** Ends the encoding, if the body has one. */
  async finish(): Promise<void> {
    if (this.encoder) await this.send(this.chunker.push(await this.encoder.finish()));
  }

  /** Resolves when the kernel has accepted every byte so far, or the client has disconnected. */
  async flush(): Promise<void> {
    await this.send(this.chunker.flush());
    if (this.unwritten === 0) return;
    const written = new Promise<void>((resolve) => (this.onWritten = resolve));
    await Promise.race([written, this.stage.gone]);
  }

  private async send(chunks: readonly Uint8Array[]): Promise<void> {
    const { response, gone } = this.stage;
    for (const chunk of chunks) {
      if (response.destroyed) return;
      this.unwritten++;
      const hasRoom = response.write(chunk, () => {
        if (--this.unwritten === 0) this.onWritten?.();
      });
      if (!hasRoom) await Promise.race([new Promise((resolve) => response.once('drain', resolve)), gone]);
      // A turn of the loop between small chunks, or the kernel would join them again.
      else if (this.wire.chunking !== undefined && this.wire.chunking !== 'frame') await nextLoop();
    }
  }
}
