/**
 * SignIns: signing in to MCP servers and out again, and what is known of each server's sign-in. For `/mcp auth`,
 * `castor mcp login` and the transports; nothing here shows or logs a token.
 */

import type { Clock } from '../../util/clock.ts';
import { getErrorMessage } from '../../protocol/errors.ts';
import type { RequestAuthorization } from '../request-authorization.ts';
import { usesGoogleCredentials } from '../server-config.ts';
import type { McpServer, NetworkAddress } from '../server-config.ts';
import type { OpenKeyring } from './keyring.ts';
import { OAuthHttp } from './oauth-http.ts';
import { readOAuthSettings } from './oauth-settings.ts';
import { mayCarrySecrets } from './safe-address.ts';
import { SignInError } from './sign-in-error.ts';
import { signIn } from './sign-in.ts';
import type { SignInPorts } from './sign-in.ts';
import { ServerTokens } from './server-tokens.ts';
import { isOver } from './stored-sign-in.ts';
import type { StoredSignIn } from './stored-sign-in.ts';
import type { SignInPurpose } from './token-places.ts';
import { revokeToken } from './token-request.ts';
import { TokenStore } from './token-store.ts';
import type { SignInTarget, TokenPlace } from './token-store.ts';

export interface SignInsOptions {
  home: string;
  environment: Readonly<Record<string, string | undefined>>;
  clock: Clock;
  openKeyring?: OpenKeyring | undefined;
  /** Default: MCP servers. */
  purpose?: SignInPurpose | undefined;
}

/**
 * `none`: a process on this machine. `header`: the entry has its own Authorization header. `google`: Google credentials.
 * `expired`: its token is over and cannot be renewed. `signed-out`: nothing is stored; the server may not need it.
 */
export type SignInStatus = 'none' | 'header' | 'google' | 'signed-in' | 'expired' | 'signed-out';

export interface SignInState {
  name: string;
  status: SignInStatus;
  place?: TokenPlace | undefined;
  /** Milliseconds since the epoch; a token with `isRenewable` is renewed before. */
  expiresAt?: number | undefined;
  isRenewable?: boolean | undefined;
  scope?: string | undefined;
  /** Why a stored sign-in could not be read. */
  problem?: string | undefined;
}

const REVOKE_LIMIT_MS = 5_000;

export class SignIns {
  private readonly options: SignInsOptions;
  private readonly store: TokenStore;

  constructor(options: SignInsOptions) {
    this.options = options;
    this.store = new TokenStore(options);
  }

  /** Asks neither the server nor the authorization server. */
  async stateOf(server: McpServer): Promise<SignInState> {
    const { name, address } = server;
    if (address.kind === 'stdio') return { name, status: 'none' };
    if (hasOwnHeader(address)) return { name, status: 'header' };
    if (usesGoogleCredentials(server)) return { name, status: 'google' };
    try {
      const found = await this.store.find(targetOf(server, address));
      if (!found) return { name, status: 'signed-out', problem: this.store.problem };
      const { signIn: stored, place } = found;
      const { expiresAt, refreshToken, scope } = stored.token;
      const isRenewable = refreshToken !== undefined;
      const status = isOver(stored, this.options.clock.now()) && !isRenewable ? 'expired' : 'signed-in';
      return { name, status, place, expiresAt, isRenewable, scope };
    } catch (error) {
      return { name, status: 'signed-out', problem: getErrorMessage(error) };
    }
  }

  /** The state after the sign-in. Rejects with a SignInError or an AbortError; then nothing has changed. */
  async signIn(server: McpServer, ports: SignInPorts, { isPlain = false } = {}): Promise<SignInState> {
    const address = this.signInAddress(server);
    const { clock, environment } = this.options;
    // An unreadable store is reported before the user consents, not after.
    await this.store.find(targetOf(server, address));
    const settings = readOAuthSettings(server.oauth);
    const stored = await signIn({ name: server.name, address, settings, clock, environment, ports });
    await this.store.add(stored, { isPlain });
    return this.stateOf(server);
  }

  /**
   * Deletes the tokens, and revokes them where the server can; of a server that is only a name, all tokens of that name.
   * Resolves to whether there were any.
   */
  async signOut(server: McpServer | string): Promise<boolean> {
    if (typeof server === 'string') return this.store.removeName(server);
    const { address } = server;
    if (address.kind === 'stdio') return false;
    const target = targetOf(server, address);
    const found = await this.store.find(target);
    const isGone = await this.store.remove(target);
    if (found && isGone) await this.revoke(found.signIn, address);
    return isGone;
  }

  /** Undefined for a server without a stored sign-in. Throws a SignInError for an unreadable store or credentials. */
  async authorizationOf(server: McpServer): Promise<RequestAuthorization | undefined> {
    const { address } = server;
    if (address.kind === 'stdio' || hasOwnHeader(address)) return undefined;
    if (usesGoogleCredentials(server)) {
      const { openGoogleAuthorization } = await import('./google-authorization.ts');
      return openGoogleAuthorization(server, address, this.options);
    }
    if (!mayCarrySecrets(new URL(address.url))) return undefined;
    const target = targetOf(server, address);
    const found = await this.store.find(target);
    const { clock } = this.options;
    return (
      found && new ServerTokens(found, { target, settings: readOAuthSettings(server.oauth), store: this.store, clock })
    );
  }

  private signInAddress(server: McpServer): NetworkAddress {
    const { name, address } = server;
    const kind = this.options.purpose === 'a2a' ? 'agent' : 'MCP server';
    const refuse = (sentence: string): never => {
      throw new SignInError('setup', `The ${kind} ${name} ${sentence}`);
    };
    if (address.kind === 'stdio')
      return refuse('is a process on this machine and has no sign-in. Pass secrets in its env.');
    if (usesGoogleCredentials(server)) return refuse('uses Google credentials: gcloud auth application-default login.');
    if (hasOwnHeader(address)) return refuse('has an Authorization header in its entry. Remove it to sign in instead.');
    if (!mayCarrySecrets(new URL(address.url)))
      return refuse('is reached over plain http. Castor signs in over https only.');
    return address;
  }

  /** The tokens are deleted here whether or not the server hears of it. */
  private async revoke(stored: StoredSignIn, { url }: NetworkAddress): Promise<void> {
    const { revocationUrl, clientId: id, clientSecret: secret, clientAuthentication, token } = stored;
    const target = revocationUrl === undefined ? null : URL.parse(revocationUrl);
    if (target === null || id === undefined || !mayCarrySecrets(target)) return;
    const http = new OAuthHttp({ server: new URL(url), clock: this.options.clock, limitMs: REVOKE_LIMIT_MS });
    const client = { id, secret, authentication: clientAuthentication };
    const tokens = [token.refreshToken, token.accessToken].filter((each) => each !== undefined);
    await Promise.allSettled(tokens.map((each) => revokeToken(target, http, each, client)));
  }
}

function hasOwnHeader({ headers }: NetworkAddress): boolean {
  return Object.entries(headers).some(([name, value]) => name.toLowerCase() === 'authorization' && value !== '');
}

function targetOf({ name, source }: McpServer, { url }: NetworkAddress): SignInTarget {
  return { name, url, isOfProject: source === 'project' };
}
