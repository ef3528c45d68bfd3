/**
 * The one place between every HTTP client of the process and the network. While a run is recorded or replayed, a tap stands there; a
 * replayed run has no other way out, whichever room makes the request.
 */

import type { HttpRequest, HttpResponse } from './http-messages.ts';

/** `live` sends the request. */
export type HttpTap = (
  method: 'GET' | 'POST',
  request: HttpRequest,
  live: () => Promise<HttpResponse>,
) => Promise<HttpResponse>;

let current: HttpTap | undefined;

/** Undefined takes it away again. */
export function tapHttp(tap: HttpTap | undefined): void {
  current = tap;
}

export function currentHttpTap(): HttpTap | undefined {
  return current;
}
