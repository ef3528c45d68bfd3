/**
 * Converts the answer of a script to the bytes of a protocol: frames to the protocol's frames, a status to the vendor's
 * error body. Bytes, gates, endings and `raw` frames of the protocol itself stay as they are.
 */

import type { Answer, BytesPiece, FramePiece, ModelRequest, Piece } from '../answer.ts';
import { jsonAnswer } from '../status-faults.ts';
import type { Memory } from './memory.ts';
import { isNeutral, planTurn } from './planned-turn.ts';
import type { PlannedTurn } from './planned-turn.ts';
import type { Protocol, ProtocolOptions, WireFrame } from './protocol.ts';

const CONTENT_TYPES = { sse: 'text/event-stream; charset=utf-8', ndjson: 'application/x-ndjson' };

export function translate(
  answer: Answer,
  protocol: Protocol,
  request: ModelRequest,
  options: ProtocolOptions,
  memory: Memory,
): Answer {
  if (answer.failure) return failureAnswer(answer, protocol, request, options, memory);
  if (answer.head?.headers['content-type'] !== 'text/event-stream') return answer;
  const turn = planTurn(answer, request, { ...options.quirks, ...answer.wire.quirks });
  memory.remember(request.model ?? '', protocol.items(turn, options));
  return request.action === 'streamGenerateContent'
    ? streamed(answer, protocol, turn, options)
    : unstreamed(answer, protocol, turn, options);
}

function failureAnswer(
  { failure, head }: Answer,
  protocol: Protocol,
  request: ModelRequest,
  options: ProtocolOptions,
  memory: Memory,
): Answer {
  const { status } = failure!;
  const { body, headers } = protocol.error(failure!, request, options);
  if (status === 400) memory.forgive();
  const { 'content-length': _length, 'content-type': _type, ...given } = head!.headers;
  return jsonAnswer(status, failure!.options.body ?? body, { ...headers, ...given });
}

function streamed(answer: Answer, protocol: Protocol, turn: PlannedTurn, options: ProtocolOptions): Answer {
  const writer = protocol.writer(turn, options);
  const neutral = answer.pieces.filter((piece): piece is FramePiece => piece.kind === 'frame' && isNeutral(piece));
  const [first, last] = [neutral[0], neutral.at(-1)];
  const pieces = answer.pieces.flatMap((piece): Piece[] => {
    if (piece.kind !== 'frame') return [piece];
    if (!isNeutral(piece)) return [namedFrame(piece, protocol)];
    const frames = [
      ...(piece === first ? writer.open() : []),
      ...turn.events.get(piece)!.flatMap((event) => writer.write(event)),
      ...(piece === last && turn.reason !== undefined ? writer.close() : []),
    ];
    return frames.map(toPiece);
  });
  const head = {
    ...answer.head!,
    headers: { ...answer.head!.headers, 'content-type': CONTENT_TYPES[protocol.framing] },
  };
  return { ...answer, head, pieces, wire: { lineEnd: '\n', ...answer.wire, framing: protocol.framing } };
}

function toPiece({ event, data }: WireFrame): FramePiece {
  const name = event === undefined ? {} : { event };
  return typeof data === 'string'
    ? { kind: 'frame', frame: {}, literal: data, exact: true, ...name }
    : { kind: 'frame', frame: data, exact: true, ...name };
}

/** A frame the test wrote: protocols with named events repeat `type` as the name. */
function namedFrame(piece: FramePiece, { framing }: Protocol): FramePiece {
  const { type } = piece.frame as { type?: unknown };
  return framing === 'sse' && typeof type === 'string' ? { ...piece, event: type } : piece;
}

/** A connection that would break or stall in the stream does so in the middle of the body. */
function unstreamed(answer: Answer, protocol: Protocol, turn: PlannedTurn, options: ProtocolOptions): Answer {
  const { pieces } = answer;
  const failed = [...turn.events.values()].flat().find((event) => event.kind === 'error');
  if (failed) {
    const { body, headers } = protocol.error({ status: failed.status, options: failed.content }, turn.request, options);
    return jsonAnswer(failed.status, body, headers);
  }
  const ending = pieces.find((piece) => piece.kind === 'ending');
  const body = unaryBody(pieces, () => protocol.unary(turn, options));
  const isCut = ending !== undefined && ending.how !== 'end';
  const sent: BytesPiece = { kind: 'bytes', bytes: isCut ? body.subarray(0, body.length / 2) : body };
  return {
    kind: 'answer',
    head: {
      status: answer.head!.status,
      headers: { 'content-type': 'application/json', 'content-length': String(body.length) },
    },
    pieces: [...pieces.filter((piece) => piece.kind === 'gate'), sent, ...(ending ? [ending] : [])],
    wire: answer.wire,
  };
}

/** Bytes that are not a frame replace the body, and so does a lone frame of the protocol. */
function unaryBody(pieces: readonly Piece[], unary: () => object): Buffer {
  const strays = pieces.filter((piece) => piece.kind === 'bytes');
  if (strays.length > 0) return Buffer.concat(strays.map((piece) => piece.bytes));
  const exact = pieces.find((piece) => piece.kind === 'frame' && !isNeutral(piece)) as FramePiece | undefined;
  return Buffer.from(JSON.stringify(exact?.frame ?? unary()));
}
