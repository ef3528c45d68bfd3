/**
 * The vocabulary of a script: how the fake model answers one request, as data. It owns the shapes only; `script.ts` and
 * `faults.ts` build them and `play-answer.ts` sends them on a socket. An answer is its head (or none), then its pieces
 * strictly in order.
 */

import type { GenerateContentResponse } from '@castor/core';
import type { Failure } from './protocols/protocol.ts';
import type { Wire } from './sse-body.ts';

/** One JSON frame of the stream. */
export interface FramePiece {
  readonly kind: 'frame';
  /** Any JSON: the wire also carries what no type allows. */
  readonly frame: object;
  /** Sent verbatim: no `modelVersion`, no `responseId` is added. */
  readonly exact?: boolean;
  /** The `event:` line of protocols that name their events. */
  readonly event?: string;
  /** Sent instead of the frame's JSON: `[DONE]`. */
  readonly literal?: string;
}

/** Bytes that are not a frame, sent as they are. */
export interface BytesPiece {
  readonly kind: 'bytes';
  readonly bytes: Uint8Array;
}

/** Blocks everything after it until released. It opens once and stays open. */
export interface Gate {
  readonly kind: 'gate';
  /** Resolves when the server has sent everything before the gate and waits at it. */
  readonly reached: Promise<void>;
  release(): void;
  /** Resolves on `release`; for the server. */
  readonly released: Promise<void>;
  /** Resolves `reached`; for the server. */
  arrive(): void;
}

/**
 * How the connection ends, once everything before has left the process: `end` a clean end of the body, `reset` a TCP
 * RST, `close` a FIN in the middle of the body, `stall` silence until the client disconnects or the model is closed.
 */
export interface EndingPiece {
  readonly kind: 'ending';
  readonly how: 'end' | 'reset' | 'close' | 'stall';
}

export type Piece = FramePiece | BytesPiece | Gate | EndingPiece;

export interface Head {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
}

export interface Answer {
  readonly kind: 'answer';
  /** Undefined: not even headers are sent; the pieces act on the bare socket. */
  readonly head: Head | undefined;
  readonly pieces: readonly Piece[];
  /** How the frames are written; the rest comes from the model's options. */
  readonly wire: Wire;
  /** The error this answer is, so that a protocol can write it in its vendor's shape. */
  readonly failure?: Failure;
}

/** The method a request called. */
export type ModelAction = 'streamGenerateContent' | 'generateContent' | 'countTokens' | 'batchEmbedContents';

/** One request as it arrived, kept in order of arrival. */
export interface ModelRequest {
  /** From 0, over all requests of this model. */
  readonly index: number;
  readonly method: string;
  /** Including the query. */
  readonly path: string;
  /** Undefined when the path names none. */
  readonly model: string | undefined;
  /** The last word of the path, whether known or not. */
  readonly action: ModelAction | (string & {}) | undefined;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** The parsed body; undefined when it is not JSON. */
  // oxlint-disable-next-line typescript/no-explicit-any -- tests reach into arbitrary JSON and compare; a cast at every use would hide nothing
  readonly body: any;
  /** Length of the body on the wire. */
  readonly byteLength: number;
  /** Which TCP connection it came on, from 1; equal numbers prove keep-alive. */
  readonly connection: number;
}

/**
 * The answer to one request. A lone piece is an answer of one piece; a function decides when the request has arrived,
 * and may wait before it does.
 */
export type Step = Answer | Piece | ((request: ModelRequest) => Step | Promise<Step>);

/** True for a frame after which the service sends no more. */
export function endsAnswer(piece: Piece): boolean {
  if (piece.kind === 'ending') return true;
  if (piece.kind !== 'frame') return false;
  const { candidates, promptFeedback, error } = piece.frame as GenerateContentResponse & { error?: unknown };
  if (error !== undefined || promptFeedback?.blockReason !== undefined || isForeignEnd(piece.frame)) return true;
  return Array.isArray(candidates) && candidates.some((candidate) => candidate?.finishReason !== undefined);
}

const LAST_EVENTS = new Set(['message_stop', 'response.completed', 'response.incomplete', 'response.failed']);

/** A last frame of another protocol, written with `raw`. */
function isForeignEnd(frame: object): boolean {
  const { choices, type, done } = frame as {
    choices?: readonly { finish_reason?: unknown }[];
    type?: string;
    done?: unknown;
  };
  if (done === true || (type !== undefined && LAST_EVENTS.has(type))) return true;
  return Array.isArray(choices) && choices.some((choice) => typeof choice?.finish_reason === 'string');
}
