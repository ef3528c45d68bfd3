/**
 * RemoteHttp: the requests to one remote agent: its card, and the calls of A2A. It adds the credential, asks for a new one
 * after a rejected one, and sends it to no other address. Failures are RemoteAgentError or AbortError.
 */

import type { RequestAuthorization } from '../mcp/request-authorization.ts';
import { cleanLine } from '../mcp/clean-text.ts';
import { mayCarrySecrets } from '../mcp/sign-in/safe-address.ts';
import { getErrorMessage, isAbortError } from '../protocol/errors.ts';
import { createHttpClient } from '../provider/http/http-client.ts';
import type { HttpClient } from '../provider/http/http-client.ts';
import type { HttpResponse } from '../provider/http/http-messages.ts';
import { proxyFromEnvironment } from '../provider/http/proxy-environment.ts';
import { readText } from '../provider/wire/answer.ts';
import { SseReader } from '../provider/wire/sse.ts';
import { isRecord } from '../util/is-record.ts';
import type { A2aCall, A2aRequest } from './a2a-request.ts';
import { toRequest } from './a2a-request.ts';
import type { RemoteInterface } from './agent-card.ts';
import { RemoteAgentError } from './remote-agent-error.ts';

export interface RemoteHttpOptions {
  environment: Readonly<Record<string, string | undefined>>;
  /** Opened with the first request that needs it. */
  authorize(url: URL): Promise<RequestAuthorization | undefined>;
}

/** A task may take long; the user can cancel it at any time. */
const LIMIT_MS = 30 * 60_000;
const CARD_LIMIT_MS = 30_000;
const MAX_CARD_BYTES = 1024 * 1024;
const MAX_ANSWER_BYTES = 32 * 1024 * 1024;
const MAX_FRAME_BYTES = 8 * 1024 * 1024;
/** How often a rejected credential is replaced. */
const MAX_RENEWALS = 2;
const MAX_REDIRECTS = 5;

export class RemoteHttp {
  private readonly client: HttpClient;
  private readonly options: RemoteHttpOptions;

  constructor(options: RemoteHttpOptions) {
    this.options = options;
    const proxyFor = proxyFromEnvironment(options.environment);
    this.client = createHttpClient({
      purpose: 'remote agent',
      proxyFor,
      headersTimeoutMs: LIMIT_MS,
      idleTimeoutMs: LIMIT_MS,
    });
  }

  /** A card needs no credential as a rule; one is sent when the server asks for it. */
  async getCard(url: URL, signal: AbortSignal): Promise<unknown> {
    const request: A2aRequest = { method: 'GET', url, headers: { accept: 'application/json', 'a2a-version': '1.0' } };
    let response = await this.follow(request, signal);
    if (isRejected(response)) {
      response.close();
      response = await this.sendAuthorized(request, signal);
    }
    const text = await readText(response, MAX_CARD_BYTES);
    if (response.status === 404) throw new RemoteAgentError(`Agent card not found (404) at ${url.href}.`);
    if (isRejected(response)) throw denied(response, url);
    if (response.status >= 300)
      throw new RemoteAgentError(`${url.href} answered with HTTP ${response.status} instead of a card.`);
    return parseJson(text, `${url.href} is not a card: its answer is not JSON.`);
  }

  /** The results of a call, as they arrive. */
  async *call(at: RemoteInterface, call: A2aCall, signal: AbortSignal): AsyncGenerator<unknown, void> {
    const request = toRequest(at, call);
    const response = await this.sendAuthorized(request, signal);
    if (isRejected(response)) {
      response.close();
      throw denied(response, request.url);
    }
    if (response.headers['content-type']?.startsWith('text/event-stream') && response.status < 300) {
      yield* this.readEvents(response, request.url, signal);
      return;
    }
    const text = await readText(response, MAX_ANSWER_BYTES);
    yield unwrap(text, response, request.url);
  }

  close(): void {
    this.client.close();
  }

  private async *readEvents(response: HttpResponse, url: URL, signal: AbortSignal): AsyncGenerator<unknown, void> {
    const reader = new SseReader({ maxFrameBytes: MAX_FRAME_BYTES });
    try {
      for await (const bytes of response.body)
        for (const { data } of reader.push(bytes)) yield unwrap(data, response, url);
      for (const { data } of reader.end()) yield unwrap(data, response, url);
    } catch (error) {
      throw toRemoteError(error, url, signal);
    } finally {
      response.close();
    }
  }

  private async sendAuthorized(request: A2aRequest, signal: AbortSignal): Promise<HttpResponse> {
    const { url } = request;
    const authorization = await this.options.authorize(url);
    if (authorization && !mayCarrySecrets(url))
      throw new RemoteAgentError(`${url.origin} is reached over plain http. Castor sends credentials over https only.`);
    for (let renewals = 0; ; renewals += 1) {
      const headers = { ...request.headers, ...(await authorization?.headers(signal)) };
      const response = await this.send({ ...request, headers }, signal);
      const isFinal = !isRejected(response) || !authorization || renewals === MAX_RENEWALS;
      if (isFinal || !(await authorization.renew(signal))) return response;
      response.close();
    }
  }

  /** Without a credential, so that a redirect cannot carry one away. */
  private async follow(request: A2aRequest, signal: AbortSignal): Promise<HttpResponse> {
    let { url } = request;
    for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects += 1) {
      const response = await this.send({ ...request, url }, signal);
      const { location } = response.headers;
      if (response.status < 300 || response.status >= 400 || location === undefined) return response;
      response.close();
      const next = URL.parse(location, url.href);
      if (next === null || (next.protocol !== 'https:' && next.protocol !== url.protocol))
        throw new RemoteAgentError(
          `${url.href} redirects to ${cleanLine(location, 200)}, which Castor does not follow.`,
        );
      url = next;
    }
    throw new RemoteAgentError(`${request.url.href} redirects more than ${MAX_REDIRECTS} times.`);
  }

  private async send({ method, url, headers, body }: A2aRequest, signal: AbortSignal): Promise<HttpResponse> {
    const common = { url, headers: { 'user-agent': 'castor', ...headers }, signal };
    try {
      if (method === 'GET') return await this.client.get({ ...common, headersTimeoutMs: CARD_LIMIT_MS });
      return await this.client.post({ ...common, body: Buffer.from(body ?? '{}') });
    } catch (error) {
      throw toRemoteError(error, url, signal);
    }
  }
}

function isRejected({ status }: HttpResponse): boolean {
  return status === 401 || status === 403;
}

function denied({ status }: HttpResponse, url: URL): RemoteAgentError {
  const name = status === 401 ? '401 Unauthorized' : '403 Forbidden';
  return new RemoteAgentError(
    `Authentication failed (${name}) at ${url.origin}. Check the auth key of the agent's file.`,
  );
}

/** The result in an answer: of JSON-RPC its `result`, over HTTP the answer itself. */
function unwrap(text: string, { status }: HttpResponse, url: URL): unknown {
  if (status >= 300 && !text.trimStart().startsWith('{'))
    throw new RemoteAgentError(`${url.host} answered with HTTP ${status}: ${cleanLine(text, 300) || 'no text'}`);
  const answer = parseJson(text, `${url.host} sent an answer that is not JSON.`);
  if (!isRecord(answer)) throw new RemoteAgentError(`${url.host} sent an answer that is not an object.`);
  const error = isRecord(answer['error']) ? answer['error'] : status >= 300 ? answer : undefined;
  if (error) throw new RemoteAgentError(describeError(error, status));
  return 'result' in answer ? answer['result'] : answer;
}

function describeError(error: Readonly<Record<string, unknown>>, status: number): string {
  const { message, code, title, detail } = error;
  const words = [message, detail, title].find((each) => typeof each === 'string' && each !== '');
  const number = typeof code === 'number' || typeof code === 'string' ? code : status;
  return `The agent rejected the request: ${cleanLine(typeof words === 'string' ? words : 'no reason given', 500)} (${number}).`;
}

function parseJson(text: string, problem: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new RemoteAgentError(problem, { cause: error });
  }
}

function toRemoteError(error: unknown, url: URL, signal: AbortSignal): unknown {
  if (error instanceof RemoteAgentError || isAbortError(error) || signal.aborted) return error;
  return new RemoteAgentError(`Connection failed for ${url.origin}: ${getErrorMessage(error)}`, { cause: error });
}
