/**
 * Answers that are not a stream: an HTTP status with the service's JSON, with another server's HTML, or with nothing.
 * Each has its exact length, so that the connection can be reused.
 */

import type { Answer, Piece } from './answer.ts';
import { googleError } from './google-errors.ts';
import type { ErrorContent, ErrorStatus } from './google-errors.ts';

export interface StatusOptions extends ErrorContent {
  /** A `Retry-After` header: seconds, or an HTTP date. */
  readonly retryAfter?: number | string;
  readonly headers?: Readonly<Record<string, string>>;
  /** The vendor's own names for the error, in protocols other than Gemini. */
  readonly type?: string;
  readonly code?: string;
  readonly param?: string;
  /** The whole body, verbatim, in protocols other than Gemini. */
  readonly body?: unknown;
}

/** An error status with the service's JSON body. */
export function statusAnswer(status: ErrorStatus, options: StatusOptions = {}): Answer {
  const answer = jsonAnswer(status, googleError(status, options), {
    ...(options.retryAfter !== undefined && { 'retry-after': String(options.retryAfter) }),
    ...options.headers,
  });
  return { ...answer, failure: { status, options } };
}

export function jsonAnswer(status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): Answer {
  return bodyAnswer(status, JSON.stringify(body, null, 2), {
    'content-type': 'application/json; charset=UTF-8',
    ...headers,
  });
}

export function htmlAnswer(status: number): Answer {
  const page = `<!DOCTYPE html>\n<html lang=en>\n<title>Error ${status}</title>\n<h1>The gateway gave up</h1>\n</html>\n`;
  return bodyAnswer(status, page, { 'content-type': 'text/html; charset=UTF-8' });
}

export function emptyAnswer(status: number, headers: Readonly<Record<string, string>> = {}): Answer {
  return bodyAnswer(status, '', headers);
}

function bodyAnswer(status: number, text: string, headers: Readonly<Record<string, string>>): Answer {
  const body = Buffer.from(text);
  const pieces: Piece[] = body.length > 0 ? [{ kind: 'bytes', bytes: body }] : [];
  return {
    kind: 'answer',
    head: { status, headers: { ...headers, 'content-length': String(body.length) } },
    pieces,
    // Framing and cuts apply to event streams; an error body is sent in one piece.
    wire: { chunking: 'frame' },
  };
}
