/**
 * What the fake model needs to know about a wire protocol: where requests go, how a turn and a failure are written, and
 * which requests the vendor rejects. Each protocol is one file beside this one; all look alike.
 */

import type { ModelRequest, Step } from '../answer.ts';
import type { AsideOptions } from '../answer-aside.ts';
import type { ErrorStatus } from '../google-errors.ts';
import type { StatusOptions } from '../status-faults.ts';
import type { Memory } from './memory.ts';
import type { PlannedTurn, TurnEvent } from './planned-turn.ts';
import type { Quirks } from './quirks.ts';

export type ProtocolName = 'gemini' | 'chat' | 'responses' | 'anthropic' | 'ollama';

/** Whose rules and error bodies a Chat Completions server has. Default `openai`. */
export type ChatVendor =
  | 'openai'
  | 'azure'
  | 'openrouter'
  | 'deepseek'
  | 'mistral'
  | 'google'
  | 'groq'
  | 'xai'
  | 'vllm'
  | 'llamacpp'
  | 'ollama';

export interface ProtocolOptions extends AsideOptions {
  /** Default `gemini`. */
  readonly protocol?: ProtocolName;
  /** Default `openai`; for `anthropic`, `llamacpp` writes errors as llama.cpp does. */
  readonly vendor?: ChatVendor;
  /** How every answer deviates from the vendor's own form, unless a step sets it. */
  readonly quirks?: Quirks;
  /** Rejects illegal conversations and malformed bodies. Default true. */
  readonly strict?: boolean;
  /** Requires this key; null requires none. Without it any key is valid (and none needed for `ollama`). */
  readonly key?: string | null;
  /**
   * Shared between servers that accept each other's signatures. Default: one of its own; a Gemini server without one
   * accepts any signature.
   */
  readonly memory?: Memory;
}

/** An event of the wire, before framing. A string is sent verbatim. */
export interface WireFrame {
  readonly event?: string;
  readonly data: object | string;
}

/** Writes one streamed turn: `open` before its first frame, `close` after its last if the turn has a finish. */
export interface TurnWriter {
  open(): WireFrame[];
  write(event: TurnEvent): WireFrame[];
  close(): WireFrame[];
}

export interface Route {
  readonly model: string | undefined;
  /** As for Gemini: `streamGenerateContent`, `generateContent`, `countTokens`; else the path of a side endpoint. */
  readonly action: string | undefined;
}

/** A broken rule, with the vendor's status and words. */
export interface Verdict {
  readonly status: ErrorStatus;
  readonly message: string;
  readonly type?: string;
  readonly code?: string;
  readonly param?: string;
}

export interface Failure {
  readonly status: ErrorStatus;
  readonly options: StatusOptions;
}

export interface WireError {
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Protocol {
  readonly framing: 'sse' | 'ndjson';
  route(method: string, path: string, body: unknown): Route;
  /** Undefined when the request carries no key. */
  keyOf(request: ModelRequest): string | undefined;
  readonly isKeyless?: boolean;
  /** The rules the request breaks, in order. */
  judge(request: ModelRequest, options: ProtocolOptions, memory: Memory): Verdict[];
  writer(turn: PlannedTurn, options: ProtocolOptions): TurnWriter;
  /** The same turn unstreamed. */
  unary(turn: PlannedTurn, options: ProtocolOptions): object;
  /** The parts of an unstreamed answer that the server remembers. */
  items(turn: PlannedTurn, options: ProtocolOptions): readonly object[];
  error(failure: Failure, request: ModelRequest, options: ProtocolOptions): WireError;
  /** Counting, embedding, lists of models. Undefined when the script answers. */
  aside(request: ModelRequest, options: ProtocolOptions): Step | undefined;
}

/** The arguments of `JSON.parse`d bodies, without a cast at each use. */
export function field(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined;
}

export function bearerOf({ headers }: ModelRequest): string | undefined {
  return /^Bearer (.+)$/i.exec(headers['authorization'] ?? '')?.[1];
}

export function modelOf(body: unknown): string | undefined {
  const model = field(body, 'model');
  return typeof model === 'string' ? model : undefined;
}
