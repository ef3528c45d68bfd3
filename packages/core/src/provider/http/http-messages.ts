/** The types of a request that an HTTP client sends and of the answer it returns. */

import type { IncomingHttpHeaders } from 'node:http';

export interface HttpRequest {
  url: URL;
  headers: Readonly<Record<string, string>>;
  /** In one chunk or in several; absent in a GET. */
  body?: Uint8Array | readonly Uint8Array[];
  signal?: AbortSignal | undefined;
  /** Overrides the client's timeout for this request. */
  headersTimeoutMs?: number | undefined;
}

export interface HttpResponse {
  status: number;
  statusText: string;
  headers: IncomingHttpHeaders;
  /**
   * Ends when the body is complete. Reading it to the end allows the connection to be reused; leaving early, or
   * `close`, ends the connection.
   */
  body: AsyncGenerator<Buffer, void>;
  close(): void;
  /** Whether `close` was called; a body cut by it ends without an error. */
  readonly closed: boolean;
}
