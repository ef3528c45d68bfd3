/**
 * Requests to authorization servers: bounded in time and size, and without a redirect where a credential is sent. An
 * answer is the server's data: fields by name, from JSON or a form.
 */

import { getErrorMessage } from '../../protocol/errors.ts';
import type { Clock } from '../../util/clock.ts';
import { createAbortError } from '../../util/clock.ts';
import { isRecord } from '../../util/is-record.ts';
import { admitUrl } from '../../util/outgoing.ts';
import { toSafeAddress } from './safe-address.ts';
import { SignInError } from './sign-in-error.ts';

const LIMIT_MS = 15_000;
const MAX_BYTES = 256 * 1024;
const MAX_REDIRECTS = 3;

export interface OAuthAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly fields: Readonly<Record<string, unknown>>;
}

export interface OAuthHttpOptions {
  /** The MCP server on whose behalf requests are sent: see `toSafeAddress`. */
  server: URL;
  clock: Clock;
  signal?: AbortSignal | undefined;
  limitMs?: number | undefined;
}

export class OAuthHttp {
  readonly server: URL;
  private readonly options: OAuthHttpOptions;

  constructor(options: OAuthHttpOptions) {
    this.server = options.server;
    this.options = options;
  }

  /** A document; redirects are followed to safe addresses. Rejects with a SignInError or an AbortError. */
  async get(url: URL): Promise<OAuthAnswer> {
    let address = url;
    for (let redirects = 0; ; redirects += 1) {
      const answer = await this.send(address, { method: 'GET', headers: { accept: 'application/json' } });
      const target = answer.headers.get('location');
      if (answer.status < 300 || answer.status >= 400 || target === null) return answer;
      if (redirects === MAX_REDIRECTS)
        throw new SignInError('setup', `${url.href} redirects more than ${redirects} times.`);
      const what = `The redirect of ${address.href}`;
      address = toSafeAddress(URL.parse(target, address.href)?.href, { what, server: this.server });
    }
  }

  async postForm(url: URL, form: Readonly<Record<string, string>>, headers: Record<string, string> = {}) {
    const body = new URLSearchParams(form).toString();
    return this.post(url, body, { 'content-type': 'application/x-www-form-urlencoded', ...headers });
  }

  async postJson(url: URL, body: unknown): Promise<OAuthAnswer> {
    return this.post(url, JSON.stringify(body), { 'content-type': 'application/json' });
  }

  /** Only the status and the headers of an answer of the MCP server. */
  async probe(init: RequestInit): Promise<{ status: number; headers: Headers }> {
    return this.send(this.server, init, { isBodyRead: false });
  }

  /** A redirect is refused: it would carry a credential to another address. */
  private async post(url: URL, body: string, headers: Record<string, string>): Promise<OAuthAnswer> {
    const answer = await this.send(url, { method: 'POST', body, headers: { accept: 'application/json', ...headers } });
    if (answer.status >= 300 && answer.status < 400) {
      throw new SignInError('setup', `${url.href} redirects. Castor sends no credential to another address.`);
    }
    return answer;
  }

  private async send(url: URL, init: RequestInit, { isBodyRead = true } = {}): Promise<OAuthAnswer> {
    const { clock, signal, limitMs = LIMIT_MS } = this.options;
    const limit = new AbortController();
    const done = new AbortController();
    void clock.sleep(limitMs, done.signal).then(
      () => limit.abort(),
      () => undefined,
    );
    const either = signal ? AbortSignal.any([signal, limit.signal]) : limit.signal;
    try {
      admitUrl(url, 'sign-in');
      const response = await fetch(url, { ...init, redirect: 'manual', signal: either });
      const text = isBodyRead ? await readBounded(response, url) : '';
      if (!isBodyRead) await response.body?.cancel();
      return { status: response.status, headers: response.headers, fields: toFields(text, response) };
    } catch (error) {
      if (signal?.aborted) throw createAbortError(signal);
      if (error instanceof SignInError) throw error;
      if (limit.signal.aborted) {
        throw new SignInError('unreachable', `${url.origin} did not answer within ${limitMs / 1_000} s.`, {
          cause: error,
        });
      }
      const { cause } = error as { cause?: unknown };
      const reason = getErrorMessage(cause instanceof Error && cause.message !== '' ? cause : error);
      throw new SignInError('unreachable', `${url.origin} is not reachable: ${reason}.`, { cause: error });
    } finally {
      done.abort();
    }
  }
}

async function readBounded(response: Response, url: URL): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.length;
    if (size > MAX_BYTES)
      throw new SignInError('setup', `The answer of ${url.href} is longer than ${MAX_BYTES} bytes.`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** Some token endpoints answer with a form. */
function toFields(text: string, { headers }: Response): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : {};
  } catch {
    const isForm = /^(application\/x-www-form-urlencoded|text\/plain)/i.test(headers.get('content-type') ?? '');
    return isForm ? Object.fromEntries(new URLSearchParams(text)) : {};
  }
}
