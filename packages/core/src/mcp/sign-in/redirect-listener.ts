/**
 * Receives the browser after the user's consent: a server on the loopback that accepts one redirect and shows a page.
 * It listens on no other interface.
 */

import { createServer } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { SignInError } from './sign-in-error.ts';

const PATH = '/oauth/callback';

export interface RedirectPlace {
  /** `oauth.redirectUri`: the address that is registered. */
  redirectUri?: string | undefined;
  environment: Readonly<Record<string, string | undefined>>;
}

/** What the browser brought, and how to answer it. */
export interface Arrival {
  query: URLSearchParams;
  /** Shows the outcome in the browser; resolves when it is sent. */
  answer(problem: string | undefined): Promise<void>;
}

export class RedirectListener implements AsyncDisposable {
  readonly redirectUri: string;
  /** Resolves with the first request that carries an answer. */
  readonly arrival: Promise<Arrival>;
  private readonly servers: readonly Server[];

  private constructor(servers: readonly Server[], redirectUri: string, path: string) {
    this.servers = servers;
    this.redirectUri = redirectUri;
    const { promise, resolve } = Promise.withResolvers<Arrival>();
    this.arrival = promise;
    for (const server of servers) {
      server.on('request', (request: IncomingMessage, response: ServerResponse) => {
        receive(request, response, { path, resolve });
      });
    }
  }

  /** Throws a SignInError when the port is invalid or taken. */
  static async open({ redirectUri, environment }: RedirectPlace): Promise<RedirectListener> {
    const wanted = portOf(redirectUri, environment);
    const first = await listen('127.0.0.1', wanted);
    const { port } = first.address() as AddressInfo;
    // A browser may resolve localhost to either; a machine may have only one.
    const second = await listen('::1', port).catch(() => undefined);
    const own = redirectUri === undefined ? null : URL.parse(redirectUri);
    const path = own === null || own.pathname === '/' ? PATH : own.pathname;
    return new RedirectListener(second ? [first, second] : [first], redirectUri ?? addressOf(port, environment), path);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(
      this.servers.map(async (server) => {
        const closed = once(server, 'close');
        server.close();
        server.closeAllConnections();
        await closed;
      }),
    );
  }
}

function addressOf(port: number, environment: RedirectPlace['environment']): string {
  const { GOOGLE_CLOUD_WORKSTATIONS: isWorkstation, WEB_HOST: host } = environment;
  return isWorkstation === 'true' && host ? `https://${port}-${host}${PATH}` : `http://localhost:${port}${PATH}`;
}

function portOf(redirectUri: string | undefined, environment: RedirectPlace['environment']): number {
  const named = environment['OAUTH_CALLBACK_PORT'];
  if (named !== undefined && named !== '') {
    if (/^\d{1,5}$/.test(named) && Number(named) <= 65_535) return Number(named);
    throw new SignInError('setup', `OAUTH_CALLBACK_PORT is not a port: ${JSON.stringify(named)}.`);
  }
  if (redirectUri === undefined) return 0;
  const url = URL.parse(redirectUri);
  if (url === null) throw new SignInError('setup', `oauth.redirectUri is not a valid address: ${redirectUri}.`);
  return url.port === '' ? 0 : Number(url.port);
}

async function listen(host: string, port: number): Promise<Server> {
  const server = createServer();
  server.listen(port, host);
  try {
    await once(server, 'listening');
    return server;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const why = code === 'EADDRINUSE' ? 'is in use' : `cannot be opened (${code})`;
    const way = 'Set another in oauth.redirectUri or OAUTH_CALLBACK_PORT.';
    throw new SignInError('setup', `The port ${port} for the answer of the browser ${why}. ${way}`, { cause: error });
  }
}

function receive(
  { url = '/', method }: IncomingMessage,
  response: ServerResponse,
  { path, resolve }: { path: string; resolve(arrival: Arrival): void },
): void {
  const { pathname, searchParams } = new URL(url, 'http://localhost');
  if (method !== 'GET' || pathname !== path) {
    response.writeHead(404).end();
    return;
  }
  const isAnswer = searchParams.has('error') || searchParams.has('code') || searchParams.has('state');
  if (!isAnswer) {
    void show(response, 400, 'This address needs the answer of an authorization server.');
    return;
  }
  const answer = (problem: string | undefined) =>
    problem === undefined
      ? show(response, 200, 'You are signed in. Close this window and return to the terminal.')
      : show(response, 400, `The sign-in failed. ${problem}`);
  resolve({ query: searchParams, answer });
}

/** The address holds the code: it is neither cached nor passed on. */
async function show(response: ServerResponse, status: number, sentence: string): Promise<void> {
  const text = sentence.replaceAll(/[&<>"]/g, (sign) => `&#${sign.codePointAt(0)};`);
  const headers = {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': "default-src 'none'",
    'referrer-policy': 'no-referrer',
    'cache-control': 'no-store',
    connection: 'close',
  };
  const page = `<!doctype html><title>Castor</title><p>${text}</p>\n`;
  await new Promise<void>((resolve) => {
    response.once('close', resolve);
    response.writeHead(status, headers).end(page, resolve);
  });
}
