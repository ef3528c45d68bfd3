/**
 * Reads an HTTP response up to the point where a protocol takes over: an accepted answer as a body, a rejected one as the
 * facts of its failure, a whole body as text. It sends nothing and interprets no words. What reads a rejection is loaded by
 * the first one.
 */

import { ApiError } from '../../protocol/errors.ts';
import { shorten } from '../../util/short-text.ts';
import { unsupportedEncoding } from '../http/content-encoding.ts';
import type { HttpResponse } from '../http/http-messages.ts';
import type { FailedAnswer } from './failed-answer.ts';

const MAX_EXCERPT_LENGTH = 200;

/** Undefined for an accepted answer. Throws for an answer of a type that no model service sends. */
export async function readFailure(response: HttpResponse): Promise<FailedAnswer | undefined> {
  const { status, headers } = response;
  const isAccepted = status >= 200 && status < 300;
  if (isAccepted && !headers['content-type']?.startsWith('text/html') && unsupportedEncoding(headers) === undefined)
    return undefined;
  const { readRejection, unexpectedFormat } = await import('./rejection.ts');
  if (!isAccepted) return readRejection(response);
  response.close();
  throw unexpectedFormat(headers);
}

/** Reads a whole, unstreamed answer. */
export async function readText(response: HttpResponse, maxBytes: number): Promise<string> {
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
  return Buffer.concat(chunks).toString('utf8');
}

/** Parses the JSON object of a frame or a body. */
export function parseObject(data: string): Record<string, unknown> {
  let answer: unknown;
  try {
    answer = JSON.parse(data);
  } catch (cause) {
    throw unreadable('The answer is not valid JSON', data, cause);
  }
  if (typeof answer !== 'object' || answer === null) throw unreadable('The answer is not an object', data);
  return answer as Record<string, unknown>;
}

/** The error for data on the wire that is not an answer of the protocol. */
export function unreadable(what: string, data: string, cause?: unknown): ApiError {
  return new ApiError(`${what}: ${JSON.stringify(shorten(data, MAX_EXCERPT_LENGTH))}`, {
    reason: 'network',
    code: 'MALFORMED_FRAME',
    cause,
  });
}
