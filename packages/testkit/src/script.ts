/**
 * The builders of a script. Each returns one piece of an answer, or an answer; a piece may stand alone as a step. An
 * answer without an end gets one: `STOP` and usage, as the service sends it.
 */

import type { Citation, FinishReason, FunctionCall, UsageMetadata } from '@castor/core';
import { endsAnswer } from './answer.ts';
import type { Answer, BytesPiece, EndingPiece, FramePiece, Gate, Piece } from './answer.ts';
import { mergeFrames } from './merge-frames.ts';
import type { ScriptPart, ScriptUsage } from './protocols/planned-turn.ts';
import type { Wire } from './sse-body.ts';

/** The usage an answer reports unless its script sets it. */
export const DEFAULT_USAGE: UsageMetadata = { promptTokenCount: 10, candidatesTokenCount: 5, totalTokenCount: 15 };

const STREAM_HEADERS = { 'content-type': 'text/event-stream' };

/** These pieces, in order, as one answer. */
export function answer(...pieces: readonly Piece[]): Answer {
  return { kind: 'answer', head: { status: 200, headers: STREAM_HEADERS }, pieces: withEnd(pieces), wire: {} };
}

/** A text answer; several strings are several frames. */
export function say(words: string | readonly string[], options: FinishOptions = {}): Answer {
  const frames = typeof words === 'string' ? [words] : words;
  return answer(...frames.map((piece) => text(piece)), finish('STOP', options));
}

/** A piece of the visible answer. */
export function text(value: string, options: { signature?: string } = {}): FramePiece {
  return partFrame({ text: value, ...(options.signature !== undefined && { thoughtSignature: options.signature }) });
}

/**
 * A piece of reasoning; Gemini writes `**Subject** description`. `redacted` is opaque reasoning without words, as
 * Anthropic and OpenRouter send it.
 */
export function thought(value: string, options: { signature?: string; redacted?: string } = {}): FramePiece {
  return partFrame({
    text: value,
    thought: true,
    ...(options.redacted !== undefined && { redacted: options.redacted }),
    ...(options.signature !== undefined && { thoughtSignature: options.signature }),
  });
}

/**
 * A call the model requests. Without an id, as Gemini sends it; other protocols make one. Arguments that are a string are
 * written verbatim where the protocol sends text, so that they may be malformed.
 */
export function call(
  name: string,
  args: Record<string, unknown> | string = {},
  options: { id?: string; signature?: string } = {},
): FramePiece {
  const id = options.id === undefined ? {} : { id: options.id };
  const functionCall: FunctionCall = { ...id, name, args: args as Record<string, unknown> };
  return partFrame({
    functionCall,
    ...(options.signature !== undefined && { thoughtSignature: options.signature }),
  });
}

/** A source of the answer. */
export function citation(uri: string, title?: string): FramePiece {
  const source: Citation = { uri, ...(title !== undefined && { title }) };
  return candidateFrame({ citationMetadata: { citations: [source] } });
}

/** A frame that reports tokens and nothing else. */
export function usage(usageMetadata: ScriptUsage): FramePiece {
  return { kind: 'frame', frame: { usageMetadata } };
}

export interface FinishOptions {
  /** `finishMessage`, as sent with some bad reasons. */
  readonly message?: string;
  /** Null: none is sent. Default `DEFAULT_USAGE`. */
  readonly usage?: ScriptUsage | null;
}

/** The last frame of an answer. */
export function finish(reason: FinishReason = 'STOP', options: FinishOptions = {}): FramePiece {
  const { frame } = candidateFrame({
    finishReason: reason,
    ...(options.message !== undefined && { finishMessage: options.message }),
  });
  const usageMetadata = options.usage === undefined ? DEFAULT_USAGE : options.usage;
  return { kind: 'frame', frame: { ...frame, ...(usageMetadata && { usageMetadata }) } };
}

/** Any JSON as a frame, verbatim. */
export function raw(frame: object): FramePiece {
  return { kind: 'frame', frame, exact: true };
}

/** Bytes between the frames, verbatim. */
export function bytes(value: string | Uint8Array): BytesPiece {
  return { kind: 'bytes', bytes: typeof value === 'string' ? Buffer.from(value) : value };
}

/** Several frames as one: parallel calls, or a last text that carries the finish reason. */
export function together(...pieces: readonly FramePiece[]): FramePiece {
  return { kind: 'frame', frame: mergeFrames(pieces.map((piece) => piece.frame)) };
}

/** One frame whose text alone has this many bytes. */
export function bigFrame(byteCount: number): FramePiece {
  return text('x'.repeat(byteCount));
}

/** Blocks what follows it until `release()`. */
export function gate(): Gate {
  const reached = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  return {
    kind: 'gate',
    reached: reached.promise,
    released: released.promise,
    arrive: reached.resolve,
    release: released.resolve,
  };
}

/** Ends the answer at this point; see `EndingPiece`. */
export function ending(how: EndingPiece['how']): EndingPiece {
  return { kind: 'ending', how };
}

/** The same step, its frames written and cut in another way. */
export function dialect(step: Answer | Piece, wire: Wire): Answer {
  const plain = toAnswer(step);
  return { ...plain, wire: { ...plain.wire, ...wire } };
}

export function toAnswer(step: Answer | Piece): Answer {
  return step.kind === 'answer' ? step : answer(step);
}

function withEnd(pieces: readonly Piece[]): readonly Piece[] {
  if (pieces.some(endsAnswer)) return pieces;
  const hasUsage = pieces.some((piece) => piece.kind === 'frame' && 'usageMetadata' in piece.frame);
  return [...pieces, finish('STOP', hasUsage ? { usage: null } : {})];
}

function partFrame(part: ScriptPart): FramePiece {
  return candidateFrame({ content: { role: 'model', parts: [part] } });
}

function candidateFrame(candidate: object): FramePiece {
  return { kind: 'frame', frame: { candidates: [{ ...candidate, index: 0 }] } };
}
