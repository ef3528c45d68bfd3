/**
 * Reads the frames of a script, which are Gemini's, into what every protocol can write: blocks of thought, text and
 * calls with their ids and signatures, then the finish and the usage. It knows nothing about any wire.
 */

import type {
  Candidate,
  FunctionCall,
  GenerateContentResponse,
  Part,
  PromptFeedback,
  UsageMetadata,
} from '@castor/core';
import type { Answer, FramePiece, ModelRequest } from '../answer.ts';
import type { ErrorContent, ErrorStatus } from '../google-errors.ts';
import { isObject } from '../json-object.ts';
import type { Quirks } from './quirks.ts';

/** A part of a script, with what Gemini has no field for. */
export type ScriptPart = Part & { readonly redacted?: string };
export type ScriptUsage = UsageMetadata & { readonly cacheWriteTokenCount?: number };

/** One run of thought or text, or one call. */
export interface Block {
  readonly kind: 'thought' | 'text' | 'call';
  /** The position among all blocks of the turn. */
  readonly index: number;
  text: string;
  /** The signature the script gives; a protocol that always signs makes one. */
  signature?: string;
  readonly redacted?: string;
  readonly call?: Partial<FunctionCall>;
  /** The position among the calls of the turn. */
  readonly callIndex: number;
}

export type TurnEvent =
  | { readonly kind: 'piece'; readonly block: Block; readonly text: string; isFirst: boolean; isLast: boolean }
  | { readonly kind: 'finish' }
  | { readonly kind: 'error'; readonly status: ErrorStatus; readonly content: ErrorContent };

export interface PlannedTurn {
  readonly request: ModelRequest;
  readonly quirks: Quirks;
  /** The model the answer names. */
  readonly model: string;
  readonly blocks: readonly Block[];
  readonly events: ReadonlyMap<FramePiece, readonly TurnEvent[]>;
  /** Undefined: the answer breaks off before its finish. */
  readonly reason: string | undefined;
  readonly finishMessage: string | undefined;
  readonly usage: ScriptUsage | undefined;
}

export function planTurn(answer: Answer, request: ModelRequest, quirks: Quirks): PlannedTurn {
  const planner = new Planner();
  for (const piece of answer.pieces) {
    if (piece.kind === 'frame' && isNeutral(piece)) planner.read(piece);
  }
  const { blocks, events, reason, finishMessage, usage } = planner;
  if (reason !== undefined) planner.endBlock();
  return {
    request,
    quirks,
    model: quirks.reportedModel ?? request.model ?? '',
    blocks,
    events,
    reason,
    finishMessage,
    usage,
  };
}

/** False for a `raw` frame of another protocol: it is sent verbatim. */
export function isNeutral({ frame, exact }: FramePiece): boolean {
  if (!exact) return true;
  const { candidates, promptFeedback, error } = frame as {
    candidates?: unknown;
    promptFeedback?: unknown;
    error?: unknown;
  };
  return Array.isArray(candidates) || promptFeedback !== undefined || (isObject(error) && 'status' in error);
}

export function callsOf(turn: PlannedTurn): Block[] {
  return turn.blocks.filter((block) => block.kind === 'call');
}

/** The arguments as the text that most protocols send; a string of the script is written verbatim. */
export function argumentsText({ call }: Block): string {
  const args: unknown = call?.args;
  if (typeof args === 'string') return args;
  return args === undefined ? '' : JSON.stringify(args);
}

class Planner {
  readonly blocks: Block[] = [];
  readonly events = new Map<FramePiece, TurnEvent[]>();
  reason: string | undefined;
  finishMessage: string | undefined;
  usage: ScriptUsage | undefined;
  private last: Extract<TurnEvent, { kind: 'piece' }> | undefined;
  private calls = 0;

  read(piece: FramePiece): void {
    const { candidates, usageMetadata, promptFeedback, error } = piece.frame as GenerateContentResponse & {
      error?: { code: ErrorStatus; message?: string };
    };
    const events: TurnEvent[] = [];
    this.events.set(piece, events);
    if (usageMetadata) this.usage = { ...this.usage, ...usageMetadata };
    const candidate = candidates?.[0];
    for (const part of candidate?.content?.parts ?? []) events.push(this.readPart(part));
    if (error) {
      const content = error.message === undefined ? {} : { message: error.message };
      events.push({ kind: 'error', status: error.code, content });
    }
    if (this.readFinish(candidate, promptFeedback)) events.push({ kind: 'finish' });
  }

  /** A blocked prompt is an answer that was filtered before its first word. */
  private readFinish(candidate: Candidate | undefined, feedback: PromptFeedback | undefined): boolean {
    const reason = candidate?.finishReason ?? (feedback?.blockReason === undefined ? undefined : 'SAFETY');
    if (reason === undefined) return false;
    this.reason = reason;
    this.finishMessage = candidate?.finishMessage ?? feedback?.blockReasonMessage;
    return true;
  }

  /** Marks the piece sent last as the end of its block. */
  endBlock(): void {
    if (this.last) this.last.isLast = true;
  }

  private readPart(part: ScriptPart): TurnEvent {
    const { functionCall, thoughtSignature, redacted } = part;
    const kind = functionCall ? 'call' : part.thought ? 'thought' : 'text';
    const before = this.last?.block;
    const continues =
      before?.kind === kind && kind !== 'call' && before.signature === undefined && redacted === undefined;
    const block = continues && before.redacted === undefined ? before : this.open(kind, part);
    const isFirst = block !== before;
    if (isFirst) this.endBlock();
    const text = part.text ?? '';
    block.text += text;
    if (thoughtSignature !== undefined) block.signature = thoughtSignature;
    this.last = { kind: 'piece', block, text, isFirst, isLast: false };
    return this.last;
  }

  private open(kind: Block['kind'], { functionCall, redacted }: ScriptPart): Block {
    const block: Block = {
      kind,
      index: this.blocks.length,
      text: '',
      ...(redacted !== undefined && { redacted }),
      ...(functionCall && { call: functionCall }),
      callIndex: kind === 'call' ? this.calls++ : -1,
    };
    this.blocks.push(block);
    return block;
  }
}
