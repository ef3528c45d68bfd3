/**
 * The Gemini API as a ContentGenerator, over our own HTTP client. It sends the request, parses the frames and
 * classifies failures into the taxonomy. It does not retry and does not judge whether a stream is a turn.
 */

import type { GenerateContentResponse } from '../../protocol/content.ts';
import { throwIfAborted } from '../../util/clock.ts';
import { GEMINI_CATALOGUE } from '../catalogue/gemini-catalogue.ts';
import type { ContentGenerator } from '../content-generator.ts';
import {
  DEFAULT_IDLE_TIMEOUT_MS,
  type HttpClientOptions,
  type HttpResponse,
  createHttpClient,
} from '../http/http-client.ts';
import { releaseOnReturn } from '../release-on-return.ts';
import { mergeAdjacentText } from '../adjacent-text.ts';
import { assertAccepted, parseResponse, readAnswer } from './answer.ts';
import { type GeminiEndpointOptions, type GeminiMethod, createGeminiEndpoint } from './endpoint.ts';
import { type RequestBody, toCountTokensBody, toEmbedBody, toGenerateBody } from './request-body.ts';
import { DEFAULT_MAX_FRAME_BYTES, type SseFrame, SseReader } from './sse.ts';

export interface GeminiGeneratorOptions extends GeminiEndpointOptions, HttpClientOptions {
  /** A larger frame, or a larger unstreamed answer, is rejected. Default 64 MiB. */
  maxFrameBytes?: number | undefined;
}

export interface GeminiGenerator extends ContentGenerator {
  /** Ends all connections. Not required before the process ends: idle connections do not keep it alive. */
  close(): void;
}

/** Throws a TypeError for an invalid option. */
export function createGeminiGenerator(options: GeminiGeneratorOptions = {}): GeminiGenerator {
  const endpoint = createGeminiEndpoint(options);
  const http = createHttpClient(options);
  const maxFrameBytes = options.maxFrameBytes ?? DEFAULT_MAX_FRAME_BYTES;
  // An unstreamed answer sends no headers until the model has finished, so its default is the idle timeout.
  const wholeAnswerTimeoutMs = options.headersTimeoutMs ?? options.idleTimeoutMs ?? DEFAULT_IDLE_TIMEOUT_MS;

  /** Resolves once the service has accepted the request. */
  async function send(
    model: string,
    method: GeminiMethod,
    body: RequestBody,
    signal?: AbortSignal,
  ): Promise<HttpResponse> {
    const response = await http.post({
      url: endpoint.url(model, method),
      headers: { ...endpoint.headers(model), 'content-type': 'application/json' },
      body,
      signal,
      headersTimeoutMs: method === 'generateContent' ? wholeAnswerTimeoutMs : options.headersTimeoutMs,
    });
    await assertAccepted(response);
    return response;
  }

  /** Parses all frames of one read, and merges their text, before the next read. */
  async function* readStream(
    response: HttpResponse,
    signal: AbortSignal | undefined,
  ): AsyncGenerator<GenerateContentResponse, void> {
    const reader = new SseReader({ maxFrameBytes });
    const parse = function* (frames: readonly SseFrame[]) {
      for (const parsed of parseFrames(frames)) {
        throwIfAborted(signal);
        yield parsed;
      }
    };
    for await (const bytes of response.body) yield* parse(reader.push(bytes));
    if (response.closed) return;
    yield* parse(reader.end());
  }

  return {
    catalogue: GEMINI_CATALOGUE,

    async generateContent(request) {
      const body = toGenerateBody(request);
      const response = await send(request.model, 'generateContent', body, request.config?.abortSignal);
      return readAnswer(response, maxFrameBytes, parseResponse);
    },

    async generateContentStream(request) {
      const signal = request.config?.abortSignal;
      const response = await send(request.model, 'streamGenerateContent', toGenerateBody(request), signal);
      return releaseOnReturn(readStream(response, signal), () => response.close());
    },

    async countTokens(request) {
      const body = toCountTokensBody(request);
      return readAnswer(await send(request.model, 'countTokens', body, request.config?.abortSignal), maxFrameBytes);
    },

    async embedContent(request) {
      const body = toEmbedBody(request);
      return readAnswer(
        await send(request.model, 'batchEmbedContents', body, request.config?.abortSignal),
        maxFrameBytes,
      );
    },

    close: () => http.close(),
  };
}

/** An unreadable frame fails the stream after the frames before it were yielded. */
function* parseFrames(frames: readonly SseFrame[]): Generator<GenerateContentResponse, void> {
  const responses: GenerateContentResponse[] = [];
  try {
    for (const frame of frames) if (frame.data !== '') responses.push(parseResponse(frame));
  } finally {
    yield* mergeAdjacentText(responses);
  }
}
