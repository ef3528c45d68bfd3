/**
 * Authorizes requests to an MCP server with Google credentials (`authProviderType`): an access token of the application
 * default credentials, or an ID token of a service account that they may impersonate. Tokens are kept in memory only.
 */

import { readFile } from 'node:fs/promises';
import { createHttpClient } from '../../provider/http/http-client.ts';
import { findCredentialsPlace, parseGoogleCredentials } from '../../provider/vertex/google-credentials.ts';
import type { GoogleCredentials } from '../../provider/vertex/google-credentials.ts';
import { createTokenSource } from '../../provider/vertex/token-source.ts';
import type { TokenSource } from '../../provider/vertex/token-source.ts';
import { parseObject, readText } from '../../provider/wire/answer.ts';
import type { Clock } from '../../util/clock.ts';
import { debugLogger } from '../../util/debug-logger.ts';
import { isRecord } from '../../util/is-record.ts';
import { cleanLine } from '../clean-text.ts';
import type { RequestAuthorization } from '../request-authorization.ts';
import type { McpServer, NetworkAddress } from '../server-config.ts';
import { readOAuthSettings } from './oauth-settings.ts';
import { mayCarrySecrets } from './safe-address.ts';
import { SignInError } from './sign-in-error.ts';

export interface GoogleOptions {
  home: string;
  environment: Readonly<Record<string, string | undefined>>;
  clock: Clock;
  /** Replaces Google's address of service accounts. */
  accountsUrl?: string | undefined;
}

const ACCOUNTS_URL = 'https://iamcredentials.googleapis.com';
const GOOGLE_HOST = /(^|\.)(googleapis\.com|luci\.app)$/;
const MAX_ANSWER_BYTES = 64 * 1024;
const RENEW_BEFORE_MS = 5 * 60_000;

/** Throws a SignInError that says what the entry or the machine lacks. */
export async function openGoogleAuthorization(
  server: McpServer,
  address: NetworkAddress,
  options: GoogleOptions,
): Promise<RequestAuthorization> {
  const { name, authProvider, targetAudience: audience, targetServiceAccount: account } = server;
  const need = (what: string): SignInError =>
    new SignInError('setup', `The MCP server ${name} uses ${authProvider}, which needs ${what}.`);
  const url = new URL(address.url);
  if (!mayCarrySecrets(url)) throw need('a url with https');
  if (authProvider === 'service_account_impersonation') {
    if (!audience) throw need('targetAudience');
    if (!account) throw need('targetServiceAccount');
    const { credentials } = await findCredentials(options);
    const tokens = impersonate(createTokenSource(credentials, { purpose: 'sign-in', clock: options.clock }), {
      audience,
      account,
      ...options,
    });
    return new GoogleAuthorization(tokens, {});
  }
  if (!GOOGLE_HOST.test(url.hostname)) throw need('a url at googleapis.com or luci.app');
  const { scopes = [] } = readOAuthSettings(server.oauth);
  if (scopes.length === 0) throw need('oauth.scopes');
  const { credentials, quotaProject } = await findCredentials(options);
  const hasProject = Object.keys(address.headers).some((key) => key.toLowerCase() === 'x-goog-user-project');
  const headers = quotaProject === undefined || hasProject ? {} : { 'x-goog-user-project': quotaProject };
  return new GoogleAuthorization(
    createTokenSource(credentials, { purpose: 'sign-in', clock: options.clock, scopes }),
    headers,
  );
}

export class GoogleAuthorization implements RequestAuthorization {
  readonly problem = 'It rejected the Google credentials (401). Check the access of the account.';
  private readonly tokens: TokenSource;
  private readonly fixed: Readonly<Record<string, string>>;

  constructor(tokens: TokenSource, fixed: Readonly<Record<string, string>>) {
    this.tokens = tokens;
    this.fixed = fixed;
  }

  async headers(): Promise<Record<string, string>> {
    return { ...this.fixed, authorization: `Bearer ${await this.tokens.token()}` };
  }

  async renew(): Promise<boolean> {
    this.tokens.forget();
    return true;
  }
}

/** The application default credentials. Throws a SignInError that says what is missing. */
export async function findCredentials({ home, environment }: Pick<GoogleOptions, 'home' | 'environment'>) {
  const { path, isNamed, isOnGoogleMachine } = findCredentialsPlace(home, environment);
  let text: string | undefined;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    const { code = 'unreadable' } = error as NodeJS.ErrnoException;
    if (isNamed || code !== 'ENOENT') {
      throw new SignInError('setup', `The Google credentials in ${path} are not readable (${code}).`, { cause: error });
    }
  }
  const metadata: GoogleCredentials = { type: 'metadata' };
  if (text === undefined) {
    if (isOnGoogleMachine) return { credentials: metadata };
    throw new SignInError('setup', 'There are no Google credentials. Run: gcloud auth application-default login');
  }
  try {
    const credentials = parseGoogleCredentials(text, path);
    return { credentials, quotaProject: credentials.type === 'authorized_user' ? credentials.quotaProject : undefined };
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new SignInError('setup', error.message, { cause: error });
  }
}

interface Impersonation {
  audience: string;
  account: string;
  clock: Clock;
  accountsUrl?: string | undefined;
}

/** ID tokens of another account, each until five minutes before its end. */
function impersonate(tokens: TokenSource, { audience, account, clock, accountsUrl = ACCOUNTS_URL }: Impersonation) {
  const http = createHttpClient({ purpose: 'sign-in' });
  const url = new URL(`/v1/projects/-/serviceAccounts/${encodeURIComponent(account)}:generateIdToken`, accountsUrl);
  let current: { value: string; renewAt: number } | undefined;
  let renewing: Promise<string> | undefined;
  const renew = async () => {
    const headers = { authorization: `Bearer ${await tokens.token()}`, 'content-type': 'application/json' };
    const body = Buffer.from(JSON.stringify({ audience, includeEmail: true }));
    const response = await http.post({ url, headers, body });
    const answer = toObject(await readText(response, MAX_ANSWER_BYTES));
    const { token } = answer;
    if (response.status >= 300 || typeof token !== 'string' || token === '') {
      const { error } = answer;
      const words =
        isRecord(error) && typeof error['message'] === 'string' ? error['message'] : `HTTP ${response.status}`;
      throw new SignInError('denied', `Google issued no token of ${account} (${cleanLine(words, 300)}).`);
    }
    debugLogger.hide(token);
    current = { value: token, renewAt: endOf(token, clock) - RENEW_BEFORE_MS };
    return token;
  };
  return {
    async token() {
      if (current && clock.now() < current.renewAt) return current.value;
      renewing ??= renew().finally(() => (renewing = undefined));
      return renewing;
    },
    forget() {
      current = undefined;
      tokens.forget();
    },
  };
}

function toObject(text: string): Record<string, unknown> {
  try {
    return parseObject(text);
  } catch {
    // The status tells more than a page of a proxy.
    return {};
  }
}

/** The `exp` of a JSON Web Token, in milliseconds; a token without one is renewed each time. */
function endOf(token: string, clock: Clock): number {
  const claims = toObject(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
  return typeof claims['exp'] === 'number' ? claims['exp'] * 1_000 : clock.now();
}
