/**
 * A protocol at an endpoint as a ContentGenerator, over our own HTTP client. It sends the request, passes the frames to
 * the protocol and merges adjacent text. It does not retry, except once where the protocol or the endpoint has changed
 * what is sent, and does not judge whether a stream is a turn.
 */

import type { GenerateContentParameters, GenerateContentResponse } from '../../protocol/content.ts';
import { ApiError, UnauthorizedError } from '../../protocol/errors.ts';
import { throwIfAborted } from '../../util/clock.ts';
import { joinSentences } from '../../util/join-sentences.ts';
import type { ModelCatalogue } from '../catalogue/model-catalogue.ts';
import type { ContentGenerator } from '../content-generator.ts';
import { DEFAULT_IDLE_TIMEOUT_MS, type HttpClientOptions, createHttpClient } from '../http/http-client.ts';
import type { HttpResponse } from '../http/http-messages.ts';
import { releaseOnReturn } from '../release-on-return.ts';
import { estimateTokenCount } from '../token-estimate.ts';
import { readFailure, readText } from './answer.ts';
import { FrameReader } from './frame-reader.ts';
import type { NdjsonReader } from './ndjson.ts';
import { DEFAULT_MAX_FRAME_BYTES, SseReader } from './sse.ts';
import type { AnswerReader, RequestBody, WireEndpoint, WireFrame, WireMethod, WireProtocol } from './wire-protocol.ts';

/** A local server may load a model, or read a long prompt, before its first header. */
const LOCAL_HEADERS_TIMEOUT_MS = 600_000;

export interface WireGeneratorOptions extends HttpClientOptions {
  /** A larger frame, or a larger unstreamed answer, is rejected. Default 64 MiB. */
  maxFrameBytes?: number | undefined;
}

export interface WireGenerator extends ContentGenerator {
  /** Ends all connections. Not required before the process ends: idle connections do not keep it alive. */
  close(): void;
}

export interface Wire {
  protocol: WireProtocol;
  endpoint: WireEndpoint;
  catalogue: ModelCatalogue;
}

interface Sending {
  model: string;
  method: WireMethod;
  /** Written again for a second attempt. */
  body: () => RequestBody;
  signal: AbortSignal | undefined;
}

export function createWireGenerator(wire: Wire, options: WireGeneratorOptions = {}): WireGenerator {
  const { protocol, endpoint, catalogue } = wire;
  const { isLocal } = endpoint;
  const headersTimeoutMs = options.headersTimeoutMs ?? (isLocal ? LOCAL_HEADERS_TIMEOUT_MS : undefined);
  const http = createHttpClient({ ...options, headersTimeoutMs });
  const maxFrameBytes = options.maxFrameBytes ?? DEFAULT_MAX_FRAME_BYTES;
  // An unstreamed answer sends no headers until the model has finished, so its default is the idle timeout.
  const wholeAnswerTimeoutMs = headersTimeoutMs ?? options.idleTimeoutMs ?? DEFAULT_IDLE_TIMEOUT_MS;

  /** Loaded once: an import costs as much as a short answer, even of a module that is there. */
  let lines: typeof NdjsonReader | undefined;

  /** Resolves once the service has accepted the request. */
  async function send({ model, method, body, signal }: Sending): Promise<HttpResponse> {
    const credentials = endpoint.headers(model);
    const url = endpoint.url(protocol.path(model, method));
    const response = await http.post({
      url,
      headers: {
        ...protocol.headers?.(model),
        ...(credentials instanceof Promise ? await credentials : credentials),
        'content-type': 'application/json',
      },
      body: body(),
      signal,
      headersTimeoutMs: method === 'generate' ? wholeAnswerTimeoutMs : headersTimeoutMs,
    });
    const failure = await readFailure(response);
    if (!failure) return response;
    const error = protocol.toError({ ...failure, isLocal, url, body: endpoint.mask(failure.body) });
    if (error instanceof UnauthorizedError) throw withKeySource(error, endpoint);
    error.message = joinSentences(error.message, endpoint.remedy?.(error));
    throw error;
  }

  /** Sends again, once, when the credentials were renewed. */
  async function sendRenewing(sending: Sending): Promise<HttpResponse> {
    try {
      return await send(sending);
    } catch (error) {
      if (!(error instanceof UnauthorizedError) || !(await endpoint.renew?.())) throw error;
      return send(sending);
    }
  }

  /** Sends again, once, when the protocol now writes the request otherwise. */
  async function sendAdapting(
    request: GenerateContentParameters,
    method: WireMethod,
    body: () => RequestBody,
  ): Promise<{ response: HttpResponse; notice?: string | undefined }> {
    const sending = { model: request.model, method, body, signal: request.config?.abortSignal };
    try {
      return { response: await sendRenewing(sending) };
    } catch (error) {
      const adapted = error instanceof ApiError ? protocol.adapt?.(error, request) : undefined;
      if (!adapted) throw error;
      return { response: await sendRenewing(sending), notice: adapted.notice };
    }
  }

  /** Parses all frames of one read, and merges their text, before the next read. */
  async function* readStream(
    response: HttpResponse,
    reader: AnswerReader,
    signal: AbortSignal | undefined,
  ): AsyncGenerator<GenerateContentResponse, void> {
    const frames = new FrameReader(reader);
    const splitter =
      protocol.framing === 'sse'
        ? new SseReader({
            maxFrameBytes,
            showsEndMark: protocol.name === 'chat',
            skips: protocol.skips,
            plain: reader.runs,
            onFrame: frames.read,
          })
        : new (lines ??= (await import('./ndjson.ts')).NdjsonReader)({ maxFrameBytes });
    try {
      for await (const bytes of response.body) {
        for (const parsed of frames.take(() => splitter.push(bytes))) {
          throwIfAborted(signal);
          yield parsed;
        }
        frames.throwIfFailed();
      }
      if (response.closed) return;
      for (const parsed of frames.take(() => splitter.end())) {
        throwIfAborted(signal);
        yield parsed;
      }
      frames.throwIfFailed();
      for (const last of reader.end()) yield last;
    } catch (error) {
      maskMessages(error, endpoint);
      throw error instanceof UnauthorizedError ? withKeySource(error, endpoint) : error;
    }
  }

  async function stream(request: GenerateContentParameters): Promise<AsyncGenerator<GenerateContentResponse, void>> {
    const { response, notice } = await sendAdapting(request, 'stream', () => protocol.body(request));
    const frames = readStream(response, protocol.reader(request), request.config?.abortSignal);
    const told = notice === undefined ? frames : startWith({ notices: [notice] }, frames);
    return releaseOnReturn(told, () => response.close());
  }

  return {
    catalogue,

    async generateContent(request) {
      const { generate } = protocol;
      if (!generate) return (await import('./collect-answer.ts')).collectAnswer(await stream(request));
      const { response } = await sendAdapting(request, 'generate', () => generate.body(request));
      return generate.read(await readFrame(response));
    },

    generateContentStream: stream,

    async countTokens(request) {
      const { count } = protocol;
      if (!count) return { totalTokens: estimateTokenCount(request.contents.flatMap(({ parts }) => parts ?? [])) };
      const { model, config } = request;
      const sending: Sending = { model, method: 'count', body: () => count.body(request), signal: config?.abortSignal };
      return count.read(await readFrame(await sendRenewing(sending)));
    },

    async embedContent(request) {
      const { embed } = protocol;
      if (!embed) {
        throw new ApiError(`${endpoint.host} offers no embeddings.`, { reason: 'invalid_request' });
      }
      const { model, config } = request;
      const sending: Sending = { model, method: 'embed', body: () => embed.body(request), signal: config?.abortSignal };
      return embed.read(await readFrame(await sendRenewing(sending)));
    },

    close: () => http.close(),
  };

  async function readFrame(response: HttpResponse): Promise<WireFrame> {
    return { data: await readText(response, maxFrameBytes), bare: false };
  }
}

async function* startWith<T>(first: T, rest: AsyncGenerator<T, void>): AsyncGenerator<T, void> {
  yield first;
  yield* rest;
}

/** A server may repeat a credential in the error of a stream; the cause of an unreadable frame holds an excerpt of it. */
function maskMessages(error: unknown, endpoint: WireEndpoint): void {
  for (let at = error; at instanceof Error; at = at.cause) {
    const masked = endpoint.mask(at.message);
    if (masked === at.message) continue;
    at.message = masked;
    if (at.stack !== undefined) at.stack = endpoint.mask(at.stack);
  }
}

/** Names where the rejected key came from, never the key; or where one could come from. */
function withKeySource(error: UnauthorizedError, { keySource, withoutKey }: WireEndpoint): UnauthorizedError {
  const words = keySource === undefined ? withoutKey : `The key is from ${keySource}.`;
  const { message, status } = error;
  return words === undefined ? error : new UnauthorizedError(`${message} (${words})`, { status, cause: error });
}
