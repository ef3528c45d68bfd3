/** Requests to the endpoints of an authorization server: registration, tokens, revocation. No answer is logged. */

import { debugLogger } from '../../util/debug-logger.ts';
import { cleanLine } from '../clean-text.ts';
import type { OAuthAnswer, OAuthHttp } from './oauth-http.ts';
import { SignInError } from './sign-in-error.ts';

export interface OAuthClient {
  readonly id: string;
  readonly secret?: string | undefined;
  /** How the secret is sent. Default `post`. */
  readonly authentication?: 'post' | 'basic' | undefined;
}

export interface IssuedToken {
  readonly accessToken: string;
  readonly refreshToken?: string | undefined;
  readonly lifetimeS?: number | undefined;
  readonly scope?: string | undefined;
}

export interface Registration {
  redirectUri: string;
  scopes: readonly string[];
  authMethods: readonly string[];
}

/** RFC 7591. Throws a SignInError. */
export async function registerClient(url: URL, http: OAuthHttp, { redirectUri, scopes, authMethods }: Registration) {
  const isPublic = authMethods.length === 0 || authMethods.includes('none');
  const answer = await http.postJson(url, {
    client_name: 'Castor',
    redirect_uris: [redirectUri],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: isPublic
      ? 'none'
      : authentication(authMethods) === 'basic'
        ? 'client_secret_basic'
        : 'client_secret_post',
    ...(scopes.length > 0 && { scope: scopes.join(' ') }),
  });
  const { client_id: id, client_secret: secret, token_endpoint_auth_method: method } = answer.fields;
  if (answer.status >= 300 || typeof id !== 'string' || id === '') {
    const reason = `${url.origin} refused to register Castor (${reasonOf(answer, [])}).`;
    throw new SignInError(
      'setup',
      `${reason} Register a client there and set oauth.clientId in the entry of the server.`,
    );
  }
  const known = typeof secret === 'string' && secret !== '' ? secret : undefined;
  debugLogger.hide(known);
  const sent = method === 'client_secret_basic' ? 'basic' : method === 'client_secret_post' ? 'post' : undefined;
  return { id, secret: known, authentication: sent ?? authentication(authMethods) } satisfies OAuthClient;
}

/** Gemini CLI sends a secret in the body; so does Castor unless the server states that it accepts only a header. */
export function authentication(authMethods: readonly string[]): 'post' | 'basic' {
  return authMethods.includes('client_secret_basic') && !authMethods.includes('client_secret_post') ? 'basic' : 'post';
}

/** Exchanges a code or a refresh token. Throws a SignInError: `expired` if the grant is refused. */
export async function requestToken(
  url: URL,
  http: OAuthHttp,
  { client, grant }: { client: OAuthClient; grant: Readonly<Record<string, string>> },
): Promise<IssuedToken> {
  const secrets = [grant['code'], grant['refresh_token'], grant['code_verifier'], client.secret];
  for (const each of secrets) debugLogger.hide(each);
  const { form, headers } = identify(client);
  const answer = await http.postForm(url, { ...grant, ...form }, headers);
  const { access_token: token, refresh_token: refresh, expires_in: lifetime, scope, token_type: type } = answer.fields;
  if (answer.status >= 300 || typeof token !== 'string' || token === '') throw refusal(url, answer, secrets);
  if (typeof type === 'string' && type.toLowerCase() !== 'bearer') {
    throw new SignInError('setup', `${url.origin} issued a token of the unsupported type ${cleanLine(type, 40)}.`);
  }
  const refreshToken = typeof refresh === 'string' && refresh !== '' ? refresh : undefined;
  for (const each of [token, refreshToken]) debugLogger.hide(each);
  const seconds = Number(lifetime);
  return {
    accessToken: token,
    refreshToken,
    lifetimeS: lifetime !== undefined && seconds > 0 ? seconds : undefined,
    scope: typeof scope === 'string' ? scope : undefined,
  };
}

/** RFC 7009. The caller decides whether a failure matters. */
export async function revokeToken(url: URL, http: OAuthHttp, token: string, client: OAuthClient): Promise<void> {
  const { form, headers } = identify(client);
  await http.postForm(url, { token, ...form }, headers);
}

function identify({ id, secret, authentication: method }: OAuthClient): {
  form: Record<string, string>;
  headers: Record<string, string>;
} {
  if (secret === undefined) return { form: { client_id: id }, headers: {} };
  if (method !== 'basic') return { form: { client_id: id, client_secret: secret }, headers: {} };
  const pair = Buffer.from(`${encodeURIComponent(id)}:${encodeURIComponent(secret)}`).toString('base64');
  return { form: { client_id: id }, headers: { authorization: `Basic ${pair}` } };
}

const ENDED: ReadonlySet<unknown> = new Set(['invalid_grant', 'invalid_client', 'unauthorized_client']);

function refusal(url: URL, answer: OAuthAnswer, secrets: readonly (string | undefined)[]): SignInError {
  const { status, fields } = answer;
  const isTransient = status >= 500 || status === 429;
  const kind = isTransient ? 'unreachable' : ENDED.has(fields['error']) ? 'expired' : 'denied';
  return new SignInError(kind, `${url.origin} issued no token (${reasonOf(answer, secrets)}).`);
}

/** The server's own words, without what was sent to it. */
function reasonOf({ status, fields }: OAuthAnswer, secrets: readonly (string | undefined)[]): string {
  const words = [fields['error'], fields['error_description']].filter((each) => typeof each === 'string');
  let text = words.join(': ').replace(/\.$/, '');
  for (const secret of secrets) if (secret !== undefined && secret !== '') text = text.replaceAll(secret, '[hidden]');
  return text === '' ? `HTTP ${status}` : cleanLine(text, 300);
}
