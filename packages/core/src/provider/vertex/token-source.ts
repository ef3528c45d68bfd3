/**
 * Obtains access tokens, or ID tokens for one audience, and renews them at 80 % of their life. Requests at the same time wait for one renewal. A token and
 * the secrets behind it travel in bodies and headers only and are hidden from the debug log.
 */

import { ApiError, UnauthorizedError } from '../../protocol/errors.ts';
import { builtin } from '../../util/builtin-modules.ts';
import { type Clock, systemClock } from '../../util/clock.ts';
import { debugLogger } from '../../util/debug-logger.ts';
import { type HttpClientOptions, createHttpClient } from '../http/http-client.ts';
import type { HttpResponse } from '../http/http-messages.ts';
import { parseObject, readText } from '../wire/answer.ts';
import type { AuthorizedUser, GoogleCredentials, ServiceAccount } from './google-credentials.ts';

const SCOPE = 'https://www.googleapis.com/auth/cloud-platform';
const JWT_GRANT = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
const USER_TOKEN_URI = 'https://oauth2.googleapis.com/token';
const METADATA_URL = 'http://metadata.google.internal';
const METADATA_PATH = '/computeMetadata/v1/instance/service-accounts/default';
const LIFETIME_S = 3_600;
const RENEW_AT = 0.8;
const MAX_ANSWER_BYTES = 64 * 1024;

export interface TokenSource {
  /** A token that is valid for a while. Rejects with UnauthorizedError, or ApiError when no server answers. */
  token(): Promise<string>;
  /** Forgets the token: the next one is new. */
  forget(): void;
}

export interface TokenSourceOptions extends HttpClientOptions {
  clock?: Clock;
  /** Replaces Google's address for tokens of users. */
  userTokenUri?: string | undefined;
  /** What the tokens are for; a user's login has its own scopes. Default: all of Google Cloud. */
  scopes?: readonly string[] | undefined;
  /** ID tokens for this address instead of access tokens. */
  audience?: string | undefined;
}

export function createTokenSource(credentials: GoogleCredentials, options: TokenSourceOptions = {}): TokenSource {
  const { clock = systemClock, scopes = [SCOPE], audience } = options;
  const field = audience === undefined ? 'access_token' : 'id_token';
  const http = createHttpClient({ purpose: 'credentials', ...options });
  let current: { value: string; renewAt: number } | undefined;
  let renewing: Promise<string> | undefined;

  async function renew(): Promise<string> {
    const { token, lifetimeS } = await obtain();
    debugLogger.hide(token);
    current = { value: token, renewAt: clock.now() + lifetimeS * 1_000 * RENEW_AT };
    return token;
  }

  async function obtain(): Promise<{ token: string; lifetimeS: number }> {
    switch (credentials.type) {
      case 'token':
        return { token: await credentials.read(), lifetimeS: LIFETIME_S };
      case 'metadata': {
        const base = `${credentials.baseUrl ?? METADATA_URL}${METADATA_PATH}`;
        const headers = { 'metadata-flavor': 'Google' };
        if (audience !== undefined) {
          const url = new URL(`${base}/identity?audience=${encodeURIComponent(audience)}`);
          const response = await http.get({ url, headers });
          const token = (await readText(response, MAX_ANSWER_BYTES)).trim();
          if (response.status < 300 && token !== '') return { token, lifetimeS: LIFETIME_S };
          throw new UnauthorizedError(`The metadata server issued no ID token (HTTP ${response.status}).`, {
            status: response.status,
          });
        }
        const url = new URL(`${base}/token`);
        if (options.scopes) url.searchParams.set('scopes', scopes.join(','));
        return readToken(await http.get({ url, headers }), 'the metadata server', field);
      }
      case 'service_account':
        return exchange(credentials.tokenUri, {
          grant_type: JWT_GRANT,
          assertion: assertionOf(credentials, { scopes, audience }, clock),
        });
      case 'authorized_user':
        return exchange(options.userTokenUri ?? USER_TOKEN_URI, refreshForm(credentials));
    }
  }

  async function exchange(uri: string, form: Record<string, string>) {
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const body = Buffer.from(new URLSearchParams(form).toString());
    return readToken(await http.post({ url: new URL(uri), headers, body }), new URL(uri).host, field);
  }

  return {
    async token() {
      if (current && clock.now() < current.renewAt) return current.value;
      renewing ??= renew().finally(() => (renewing = undefined));
      return renewing;
    },
    forget: () => (current = undefined),
  };
}

function refreshForm({ clientId, clientSecret, refreshToken }: AuthorizedUser): Record<string, string> {
  for (const secret of [clientSecret, refreshToken]) debugLogger.hide(secret);
  return {
    grant_type: 'refresh_token',
    client_id: clientId,
    client_secret: clientSecret,
    refresh_token: refreshToken,
  };
}

/** A signed statement of who asks, valid for an hour. */
function assertionOf(
  account: ServiceAccount,
  { scopes, audience }: { scopes: readonly string[]; audience: string | undefined },
  clock: Clock,
): string {
  const { clientEmail, privateKey, privateKeyId, tokenUri } = account;
  debugLogger.hide(privateKey);
  const now = Math.floor(clock.now() / 1_000);
  const header = { alg: 'RS256', typ: 'JWT', ...(privateKeyId !== undefined && { kid: privateKeyId }) };
  const subject = audience === undefined ? { scope: scopes.join(' ') } : { target_audience: audience };
  const claims = { iss: clientEmail, ...subject, aud: tokenUri, iat: now, exp: now + LIFETIME_S };
  const unsigned = [header, claims].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.');
  try {
    return `${unsigned}.${builtin.crypto.createSign('RSA-SHA256').update(unsigned).sign(privateKey, 'base64url')}`;
  } catch (cause) {
    throw new UnauthorizedError(`The private key of ${clientEmail} is not a valid PEM key.`, {
      status: undefined,
      cause,
    });
  }
}

async function readToken(
  response: HttpResponse,
  from: string,
  field: 'access_token' | 'id_token',
): Promise<{ token: string; lifetimeS: number }> {
  const text = await readText(response, MAX_ANSWER_BYTES);
  if (response.status >= 500) {
    throw new ApiError(`${from} answered with HTTP ${response.status} instead of a token.`, {
      reason: 'server',
      status: response.status,
    });
  }
  const answer = response.status < 300 || text.trim().startsWith('{') ? parseObject(text) : {};
  const { [field]: token, expires_in: lifetime, error, error_description: description } = answer;
  if (response.status >= 300 || typeof token !== 'string' || token === '') {
    const words = [error, description]
      .filter((word) => typeof word === 'string')
      .join(': ')
      .replace(/\.$/, '');
    throw new UnauthorizedError(
      `${from} issued no token${words === '' ? ` (HTTP ${response.status})` : `: ${words}`}. ` +
        'Log in again with `gcloud auth application-default login`.',
      { status: response.status < 300 ? undefined : response.status },
    );
  }
  return { token, lifetimeS: typeof lifetime === 'number' && lifetime > 0 ? lifetime : LIFETIME_S };
}
