/**
 * ServerTokens: the valid token of one MCP server. It renews a token before it expires and after a 401, one process at a
 * time, and never deletes a sign-in: what fails today may work tomorrow.
 */

import { getErrorMessage, isAbortError } from '../../protocol/errors.ts';
import { untilAborted } from '../../util/abort.ts';
import type { Clock } from '../../util/clock.ts';
import { debugLogger } from '../../util/debug-logger.ts';
import type { RequestAuthorization } from '../request-authorization.ts';
import { OAuthHttp } from './oauth-http.ts';
import type { OAuthSettings } from './oauth-settings.ts';
import { toSafeAddress } from './safe-address.ts';
import { SignInError } from './sign-in-error.ts';
import { isDue, isOver } from './stored-sign-in.ts';
import type { StoredSignIn } from './stored-sign-in.ts';
import type { FoundSignIn, SignInTarget, TokenStore } from './token-store.ts';
import { requestToken } from './token-request.ts';
import type { IssuedToken } from './token-request.ts';

export interface ServerTokensOptions {
  target: SignInTarget;
  settings: OAuthSettings;
  store: TokenStore;
  clock: Clock;
}

export class ServerTokens implements RequestAuthorization {
  problem: string | undefined;
  private readonly options: ServerTokensOptions;
  private current: FoundSignIn;
  private renewing: Promise<boolean> | undefined;

  constructor(found: FoundSignIn, options: ServerTokensOptions) {
    this.options = options;
    this.current = found;
    hide(found.signIn);
  }

  async headers(signal?: AbortSignal): Promise<Record<string, string>> {
    const { clock } = this.options;
    if (isDue(this.current.signIn, clock.now())) await this.renewDue(signal);
    const { accessToken } = this.current.signIn.token;
    return { authorization: `Bearer ${accessToken}` };
  }

  async renew(signal?: AbortSignal): Promise<boolean> {
    return this.renewOnce(signal);
  }

  /** A token that cannot be renewed now is used until it is over. */
  private async renewDue(signal: AbortSignal | undefined): Promise<void> {
    try {
      await this.renewOnce(signal);
    } catch (error) {
      if (isAbortError(error) || isOver(this.current.signIn, this.options.clock.now())) throw error;
    }
  }

  /** Requests at the same time wait for one renewal, which outlasts the cancel of one of them. */
  private async renewOnce(signal: AbortSignal | undefined): Promise<boolean> {
    this.renewing ??= this.renewLocked().finally(() => (this.renewing = undefined));
    return signal ? untilAborted(this.renewing, signal) : this.renewing;
  }

  private async renewLocked(): Promise<boolean> {
    const { store, target } = this.options;
    const used = this.current.signIn.token;
    return store.whileRenewing(target.name, async () => {
      if (await this.reload(used.accessToken)) return true;
      const { signIn } = this.current;
      if (signIn.token.refreshToken === undefined) {
        this.problem = 'Its sign-in has expired.';
        return false;
      }
      try {
        await this.keep(await this.refresh(signIn));
        return true;
      } catch (error) {
        return await this.explain(error, signIn);
      }
    });
  }

  /** Another process may have renewed the token: whether the stored one differs. */
  private async reload(used: string): Promise<boolean> {
    const found = await this.options.store.find(this.options.target);
    if (!found || found.signIn.token.accessToken === used) return false;
    this.current = found;
    hide(found.signIn);
    return !isDue(found.signIn, this.options.clock.now());
  }

  /** Sent only to the address that issued the token, whatever the entry says today. */
  private async refresh(signIn: StoredSignIn): Promise<IssuedToken> {
    const { settings, target, clock } = this.options;
    const { tokenUrl, clientId = settings.clientId, clientSecret, clientAuthentication, token } = signIn;
    const server = new URL(target.url);
    if (tokenUrl === undefined || clientId === undefined) {
      throw new SignInError('expired', 'Its stored sign-in names no token endpoint.');
    }
    const url = toSafeAddress(tokenUrl, { what: 'Its stored token endpoint', server });
    const ofEntry = clientId === settings.clientId ? settings.clientSecret : undefined;
    const { resource = `${server.origin}${server.pathname === '/' ? '' : server.pathname}` } = signIn;
    return requestToken(url, new OAuthHttp({ server, clock }), {
      client: { id: clientId, secret: clientSecret ?? ofEntry, authentication: clientAuthentication },
      grant: {
        grant_type: 'refresh_token',
        refresh_token: token.refreshToken ?? '',
        ...(token.scope !== undefined && token.scope !== '' && { scope: token.scope }),
        resource,
      },
    });
  }

  private async keep({ accessToken, refreshToken, lifetimeS, scope }: IssuedToken): Promise<void> {
    const { signIn, place } = this.current;
    const now = this.options.clock.now();
    const renewed: StoredSignIn = {
      ...signIn,
      token: {
        ...signIn.token,
        accessToken,
        refreshToken: refreshToken ?? signIn.token.refreshToken,
        expiresAt: lifetimeS === undefined ? undefined : now + lifetimeS * 1_000,
        scope: scope ?? signIn.token.scope,
      },
      updatedAt: now,
    };
    this.current = { signIn: renewed, place: place === 'encrypted-file' ? 'file' : place };
    this.problem = undefined;
    try {
      await this.options.store.update(renewed, place);
    } catch (error) {
      // This process goes on with it; the next one has to sign in again.
      debugLogger.warn(`Storing the renewed sign-in of ${signIn.serverName} failed: ${getErrorMessage(error)}`);
    }
  }

  /** A refused refresh token is not an error if another process has used it in the meantime. */
  private async explain(error: unknown, signIn: StoredSignIn): Promise<boolean> {
    if (!(error instanceof SignInError)) throw error;
    if (error.kind === 'unreachable') {
      throw new SignInError('unreachable', `Its sign-in could not be renewed: ${error.message}`, { cause: error });
    }
    if (await this.reload(signIn.token.accessToken)) return true;
    this.problem = `Its sign-in has ended: ${error.message}`;
    return false;
  }
}

function hide({ token: { accessToken, refreshToken }, clientSecret }: StoredSignIn): void {
  for (const secret of [accessToken, refreshToken, clientSecret]) debugLogger.hide(secret);
}
