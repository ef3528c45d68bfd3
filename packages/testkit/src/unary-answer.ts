/**
 * Converts a scripted stream to the answer of an unstreamed call: the same frames in one JSON body, the same faults
 * where one body can have them.
 */

import type { Answer, BytesPiece } from './answer.ts';
import { mergeFrames } from './merge-frames.ts';

/**
 * Gates come before the body. A connection that would break or stall in the stream does so in the middle of the body.
 * An error frame becomes the status. Bytes that are not a frame replace the body.
 */
export function toUnaryAnswer(answer: Answer, stamp: Readonly<Record<string, string>>): Answer {
  if (answer.head?.headers['content-type'] !== 'text/event-stream') return answer;
  const { pieces, head } = answer;
  const ending = pieces.find((piece) => piece.kind === 'ending');
  const { status, body } = unaryBody(answer, stamp);
  const isCut = ending !== undefined && ending.how !== 'end';
  const sent: BytesPiece = { kind: 'bytes', bytes: isCut ? body.subarray(0, body.length / 2) : body };
  return {
    kind: 'answer',
    head: {
      status: status ?? head.status,
      headers: { 'content-type': 'application/json; charset=UTF-8', 'content-length': String(body.length) },
    },
    pieces: [...pieces.filter((piece) => piece.kind === 'gate'), sent, ...(ending ? [ending] : [])],
    wire: answer.wire,
  };
}

function unaryBody({ pieces }: Answer, stamp: object): { status?: number | undefined; body: Buffer } {
  const strays = pieces.filter((piece) => piece.kind === 'bytes');
  if (strays.length > 0) return { body: Buffer.concat(strays.map((piece) => piece.bytes)) };
  const frames = pieces.filter((piece) => piece.kind === 'frame');
  const failure = frames.find((piece) => 'error' in piece.frame)?.frame as { error?: { code?: number } } | undefined;
  if (failure) return { status: failure.error?.code, body: toBytes(failure) };
  const merged = mergeFrames(
    frames.map((piece) => piece.frame),
    { joinText: true },
  );
  return { body: toBytes(frames.every((piece) => piece.exact) ? merged : { ...merged, ...stamp }) };
}

function toBytes(value: unknown): Buffer {
  return Buffer.from(JSON.stringify(value, null, 2));
}
