/**
 * Signs in to an MCP server with OAuth 2.1: discovery, registration, the user's consent in a browser, tokens. The result
 * is not stored here. The ports show an address and may take one back; this file knows no terminal.
 */

import { untilAborted } from '../../util/abort.ts';
import type { Clock } from '../../util/clock.ts';
import { throwIfAborted } from '../../util/clock.ts';
import type { NetworkAddress } from '../server-config.ts';
import { AuthorizationRequest } from './authorization-request.ts';
import { discover } from './discover.ts';
import type { Discovery } from './discover.ts';
import { OAuthHttp } from './oauth-http.ts';
import type { OAuthSettings } from './oauth-settings.ts';
import { RedirectListener } from './redirect-listener.ts';
import { SignInError } from './sign-in-error.ts';
import type { StoredSignIn } from './stored-sign-in.ts';
import { authentication, registerClient, requestToken } from './token-request.ts';
import type { OAuthClient } from './token-request.ts';

/** How the user takes part. */
export interface SignInPorts {
  signal: AbortSignal;
  /** Shows the address to consent at, and opens a browser if there is one. */
  visit(address: { url: string; redirectUri: string }): void;
  /** The address the browser ended at, typed by the user where it is on another machine; undefined: none. */
  paste?(signal: AbortSignal): Promise<string | undefined>;
  /** The id of a client the user registered, where the server registers none itself. */
  askClientId?(issuer: string, redirectUri: string): Promise<string | undefined>;
  /** A sentence about the progress, or a warning. */
  note?(sentence: string): void;
}

export interface SignInQuestion {
  name: string;
  address: NetworkAddress;
  settings: OAuthSettings;
  environment: Readonly<Record<string, string | undefined>>;
  clock: Clock;
  ports: SignInPorts;
}

/** How long the user has to consent. */
const CONSENT_LIMIT_MS = 5 * 60_000;

/** Rejects with a SignInError or an AbortError. */
export async function signIn(question: SignInQuestion): Promise<StoredSignIn> {
  const { name, address, settings, clock, environment, ports } = question;
  const { signal } = ports;
  const http = new OAuthHttp({ server: new URL(address.url), clock, signal });
  const discovery = await discover(address, settings, http);
  checkChallengeMethods(discovery, ports);
  await using listener = await RedirectListener.open({ redirectUri: settings.redirectUri, environment });
  const { redirectUri } = listener;
  const client = await findClient(discovery, { settings, http, redirectUri, ports });
  const request = new AuthorizationRequest({
    discovery,
    clientId: client.id,
    redirectUri,
    audiences: settings.audiences,
  });
  ports.visit({ url: request.url.href, redirectUri });
  const arrival = await waitForAnswer(listener, { clock, ports });
  let problem: string | undefined = 'See the terminal.';
  try {
    const code = request.readCode(arrival.query);
    const grant = {
      grant_type: 'authorization_code',
      code,
      redirect_uri: redirectUri,
      code_verifier: request.verifier,
      resource: discovery.resource,
    };
    const token = await requestToken(discovery.tokenUrl, http, { client, grant });
    problem = undefined;
    return toStored({ name, url: address.url, discovery, client, settings, now: clock.now() }, token);
  } catch (error) {
    // A refused code is not an old sign-in.
    throw error instanceof SignInError && error.kind === 'expired' ? new SignInError('denied', error.message) : error;
  } finally {
    await arrival.answer(problem);
  }
}

function checkChallengeMethods({ challengeMethods, issuer }: Discovery, { note }: SignInPorts): void {
  if (challengeMethods?.includes('S256')) return;
  if (challengeMethods)
    throw new SignInError('setup', `${issuer} does not support PKCE with S256, which a sign-in needs.`);
  if (issuer !== undefined) note?.(`${issuer} does not state that it supports PKCE. Castor uses it nevertheless.`);
}

async function findClient(
  { registrationUrl, scopes, authMethods, issuer, authorizationUrl }: Discovery,
  {
    settings,
    http,
    redirectUri,
    ports,
  }: { settings: OAuthSettings; http: OAuthHttp; redirectUri: string; ports: SignInPorts },
): Promise<OAuthClient> {
  const method = { authentication: authentication(authMethods) };
  const { clientId: id, clientSecret: secret } = settings;
  if (id !== undefined) return { id, secret, ...method };
  if (registrationUrl) return registerClient(registrationUrl, http, { redirectUri, scopes, authMethods });
  const where = issuer ?? authorizationUrl.origin;
  const asked = (await ports.askClientId?.(where, redirectUri))?.trim();
  throwIfAborted(ports.signal);
  if (asked) return { id: asked, secret, ...method };
  throw new SignInError(
    'setup',
    `${where} does not register clients itself. Register Castor there with the address ${redirectUri}, then set oauth.clientId and oauth.redirectUri in the entry of the server.`,
  );
}

interface Answer {
  query: URLSearchParams;
  answer(problem: string | undefined): Promise<void>;
}

/** The browser's redirect, or the address that the user pasted. */
async function waitForAnswer(
  listener: RedirectListener,
  { clock, ports }: { clock: Clock; ports: SignInPorts },
): Promise<Answer> {
  const done = new AbortController();
  const either = AbortSignal.any([ports.signal, done.signal]);
  const limit = clock.sleep(CONSENT_LIMIT_MS, either).then((): never => {
    throw new SignInError('denied', `No answer of the browser arrived within ${CONSENT_LIMIT_MS / 60_000} minutes.`);
  });
  try {
    return await untilAborted(Promise.race([listener.arrival, limit, pasted(ports, either)]), ports.signal);
  } finally {
    done.abort();
  }
}

/** Never resolves where the user cannot paste. */
async function pasted({ paste, note }: SignInPorts, signal: AbortSignal): Promise<Answer> {
  for (;;) {
    const text = signal.aborted ? undefined : await paste?.(signal);
    if (text === undefined) return new Promise<Answer>(() => undefined);
    const query = URL.parse(text.trim())?.searchParams;
    if (query?.has('state')) return { query, answer: () => Promise.resolve() };
    note?.(
      'This is not the address that the browser shows after the consent: it begins with http and contains state=.',
    );
  }
}

function toStored(
  {
    name,
    url,
    discovery,
    client,
    settings,
    now,
  }: {
    name: string;
    url: string;
    discovery: Discovery;
    client: OAuthClient;
    settings: OAuthSettings;
    now: number;
  },
  {
    accessToken,
    refreshToken,
    lifetimeS,
    scope = discovery.scopes.join(' '),
  }: Awaited<ReturnType<typeof requestToken>>,
): StoredSignIn {
  const isRegistered = settings.clientId === undefined && client.secret !== undefined;
  return {
    serverName: name,
    token: {
      accessToken,
      ...(refreshToken !== undefined && { refreshToken }),
      ...(lifetimeS !== undefined && { expiresAt: now + lifetimeS * 1_000 }),
      tokenType: 'Bearer',
      ...(scope !== '' && { scope }),
    },
    clientId: client.id,
    tokenUrl: discovery.tokenUrl.href,
    mcpServerUrl: url,
    updatedAt: now,
    ...(isRegistered && { clientSecret: client.secret }),
    ...(client.secret !== undefined && { clientAuthentication: client.authentication }),
    ...(discovery.revocationUrl && { revocationUrl: discovery.revocationUrl.href }),
    ...(discovery.issuer !== undefined && { issuer: discovery.issuer }),
    resource: discovery.resource,
  };
}
