/**
 * WireProtocol: what one protocol of a model provider writes and reads, without sending anything. A provider is a
 * protocol, an endpoint, its credentials and a framing; wire-generator.ts turns them into a ContentGenerator. Types only.
 */

import type {
  CountTokensParameters,
  CountTokensResponse,
  EmbedContentParameters,
  EmbedContentResponse,
  GenerateContentParameters,
  GenerateContentResponse,
} from '../../protocol/content.ts';
import type { ApiError, UnauthorizedError } from '../../protocol/errors.ts';
import type { ModelFacts } from '../catalogue/model-catalogue.ts';
import type { ChatQuirks } from '../chat-completions/quirks.ts';
import type { FailedAnswer } from './failed-answer.ts';
import type { TextFrames, TextRun } from './text-frames.ts';

/** A body, in the chunks it is sent in. */
export type RequestBody = readonly Buffer[];

export type WireMethod = 'stream' | 'generate' | 'count' | 'embed';

/** One frame of a stream: an event of `text/event-stream`, or a line of NDJSON. */
export interface WireFrame {
  data: string;
  /** The frame was bare JSON instead of an event, as errors sometimes are. */
  bare: boolean;
  /** The text of one or more events instead of their data, where the reader's `runs` found them. */
  run?: TextRun;
}

/** Reads the frames of one answer; it may hold what belongs together, such as the pieces of a call. */
export interface AnswerReader {
  /** Finds events of plain text before they are split into frames. */
  readonly runs?: TextFrames;
  /** Throws the error that a frame reports, or that makes it unreadable. */
  read(frame: WireFrame): readonly GenerateContentResponse[];
  /** The stream ended. Returns what was held back; an incomplete answer simply ends without a finish reason. */
  end(): readonly GenerateContentResponse[];
}

/** Endpoints that answer with a whole JSON object. */
export interface WholeMethod<Request, Response> {
  body(request: Request): RequestBody;
  read(frame: WireFrame): Response;
}

export interface WireProtocol {
  /** The name in origins and in settings: `gemini`, `chat`, `responses`, `anthropic`, `ollama`. */
  readonly name: string;
  readonly framing: 'sse' | 'ndjson';
  /** How frames begin that the reader ignores, so that a long one is never decoded. */
  readonly skips?: readonly string[];
  /** The path below the endpoint's base, with its query and without a slash at the start. */
  path(model: string, method: WireMethod): string;
  /** Sent with every request, beside the endpoint's own. Names in lower case. */
  headers?(model: string): Readonly<Record<string, string>>;
  /** Throws ApiError `invalid_request` for what the protocol has no form for. */
  body(request: GenerateContentParameters): RequestBody;
  reader(request: GenerateContentParameters): AnswerReader;
  /** Whether the form of an answer is sent beside tools. Absent: never. */
  takesFormBesideTools?(model: string): boolean;
  /** Classifies a rejection. The only place that may interpret its words. */
  toError(answer: FailedAnswer): ApiError | UnauthorizedError;
  /**
   * Whether the same request is worth one more attempt because the protocol now writes it otherwise: without a field
   * the server rejected, or without reasoning it could not verify. `notice` is told to the user with the answer.
   */
  adapt?(error: ApiError, request: GenerateContentParameters): { notice?: string } | undefined;
  /** Absent: an unstreamed answer is collected from a stream. */
  generate?: WholeMethod<GenerateContentParameters, GenerateContentResponse>;
  /** Absent: tokens are estimated. */
  count?: WholeMethod<CountTokensParameters, CountTokensResponse>;
  /** Absent: the provider offers no embeddings. */
  embed?: WholeMethod<EmbedContentParameters, EmbedContentResponse>;
}

/** Where a protocol is spoken, and how requests are authorised. */
export interface WireEndpoint {
  /** The host and port, for messages and origins. */
  readonly host: string;
  /** Whether the server runs on this machine: it may load a model for minutes, and it repeats its failures. */
  readonly isLocal: boolean;
  url(path: string): URL;
  /** Names in lower case. May obtain a token first. */
  headers(model: string): Readonly<Record<string, string>> | Promise<Readonly<Record<string, string>>>;
  /** The variable, file or command the key came from; a rejected key is reported with it. */
  readonly keySource?: string | undefined;
  /** A sentence for the rejection of requests that have no key. */
  readonly withoutKey?: string | undefined;
  /** A sentence on what the user can do about a rejection, where the address or the credentials explain it. */
  remedy?(error: ApiError): string | undefined;
  /** Obtains new credentials after a 401. Resolves to whether the request is worth one more attempt. */
  renew?(): Promise<boolean>;
  /** The text with every credential of this endpoint replaced. */
  mask(text: string): string;
}

/** What every protocol is created with. */
export interface ProtocolOptions {
  /** The provider's id, for origins. */
  provider: string;
  endpoint: Pick<WireEndpoint, 'host' | 'isLocal'>;
  /** The facts about a model, by its name without the provider. */
  factsOf(model: string): ModelFacts;
  quirks: ChatQuirks;
  /** The cloud that serves the protocol in its own form. Absent: the vendor's. */
  cloud?: 'vertex' | undefined;
  /** Groups the requests of one session for a provider's prompt cache; never the session's own id. */
  cacheKey?: string | undefined;
}
