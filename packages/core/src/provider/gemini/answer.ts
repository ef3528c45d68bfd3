/**
 * Parses an HTTP response into the answer it holds or the error it reports: accepted and rejected answers, whole
 * bodies and single frames. It sends nothing.
 */

import { ApiError, type UnauthorizedError, isAbortError } from '../../protocol/errors.ts';
import { systemClock } from '../../util/clock.ts';
import { debugLogger } from '../../util/debug-logger.ts';
import type { GenerateContentResponse } from '../../protocol/content.ts';
import { unsupportedEncoding } from '../http/content-encoding.ts';
import type { HttpResponse } from '../http/http-client.ts';
import { classifyGoogleError, toModelError } from './errors.ts';
import { tidyFrame } from './frame-shape.ts';
import { findGoogleError } from './google-error.ts';
import type { SseFrame } from './sse.ts';
import { shorten } from '../../util/short-text.ts';

const MAX_EXCERPT_LENGTH = 200;
/** Characters of a rejection's body that the debug log shows. */
const MAX_SHOWN_BODY = 2000;
const MAX_ERROR_BYTES = 1024 * 1024;
/** The status is known already; the message is not worth a longer wait. */
const ERROR_BODY_TIMEOUT_MS = 5_000;

/** Returns for an accepted answer; otherwise throws the error it reports. */
export async function assertAccepted(response: HttpResponse): Promise<void> {
  if (response.status < 200 || response.status >= 300) throw await readError(response);
  const format = unexpectedFormat(response);
  if (format === undefined) return;
  response.close();
  throw new ApiError(`The answer has the type ${format}; a proxy or a captive portal may have sent it.`, {
    reason: 'network',
    code: 'UNEXPECTED_FORMAT',
  });
}

function unexpectedFormat({ headers }: HttpResponse): string | undefined {
  const { 'content-type': type = '' } = headers;
  return type.startsWith('text/html') ? type : unsupportedEncoding(headers);
}

async function readError(response: HttpResponse): Promise<ApiError | UnauthorizedError> {
  const { status, statusText, headers } = response;
  const body = await readErrorBody(response);
  if (debugLogger.isEnabled) debugLogger.warn(`status ${status}, body: ${shorten(body, MAX_SHOWN_BODY)}`);
  return toModelError({
    status,
    statusText,
    retryAfter: headers['retry-after'],
    location: headers.location,
    body,
    now: systemClock.now(),
  });
}

/** Reads what it can: the status suffices when the body breaks off or its encoding is unsupported. */
async function readErrorBody(response: HttpResponse): Promise<string> {
  if (unsupportedEncoding(response.headers) !== undefined) {
    response.close();
    return '';
  }
  const chunks: Buffer[] = [];
  let size = 0;
  const timer = setTimeout(() => response.close(), ERROR_BODY_TIMEOUT_MS);
  try {
    for await (const chunk of response.body) {
      chunks.push(chunk);
      size += chunk.length;
      if (size > MAX_ERROR_BYTES) break;
    }
  } catch (error) {
    if (isAbortError(error)) throw error;
  } finally {
    clearTimeout(timer);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** Reads a whole, unstreamed answer; `parse` converts it to the requested type. */
export async function readAnswer<T extends object>(
  response: HttpResponse,
  maxBytes: number,
  parse: (frame: SseFrame) => T = parseAnswer,
): Promise<T> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response.body) {
    chunks.push(chunk);
    size += chunk.length;
    if (size > maxBytes) {
      throw new ApiError(`The answer is larger than ${maxBytes} bytes.`, {
        reason: 'network',
        code: 'FRAME_TOO_LARGE',
      });
    }
  }
  return parse({ data: Buffer.concat(chunks).toString('utf8'), bare: false });
}

/** Parses a frame or a body; throws the error it reports. */
export function parseAnswer<T extends object>({ data, bare }: SseFrame): T {
  let answer: unknown;
  try {
    answer = JSON.parse(data);
  } catch (cause) {
    throw noAnswer('The answer is not valid JSON', data, cause);
  }
  if (typeof answer !== 'object' || answer === null) throw noAnswer('The answer is not an object', data);
  if (bare || 'error' in answer || Array.isArray(answer)) {
    const error = findGoogleError(answer);
    if (!error) throw noAnswer('The answer contains neither a response nor an error', data);
    throw classifyGoogleError(error.code !== undefined && error.code >= 400 ? error.code : 500, error);
  }
  return answer as T;
}

/** Parses one frame of a streamed answer. */
export function parseResponse(frame: SseFrame): GenerateContentResponse {
  const response = parseAnswer<Record<string, unknown>>(frame);
  const problem = tidyFrame(response);
  if (problem !== undefined) throw noAnswer(problem, frame.data);
  return response;
}

function noAnswer(what: string, data: string, cause?: unknown): ApiError {
  return new ApiError(`${what}: ${JSON.stringify(shorten(data, MAX_EXCERPT_LENGTH))}`, {
    reason: 'network',
    code: 'MALFORMED_FRAME',
    cause,
  });
}
