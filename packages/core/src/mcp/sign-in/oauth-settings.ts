/** Reads the `oauth` key of a server's entry. Every member is optional; one of the wrong type is an error. Pure. */

import { SignInError } from './sign-in-error.ts';

export interface OAuthSettings {
  /** In Gemini CLI it opens a browser at start; here it only tells that the server has a sign-in. */
  readonly enabled: boolean;
  readonly clientId?: string | undefined;
  readonly clientSecret?: string | undefined;
  readonly authorizationUrl?: string | undefined;
  readonly tokenUrl?: string | undefined;
  readonly registrationUrl?: string | undefined;
  readonly issuer?: string | undefined;
  /** Undefined: those the server asks for. */
  readonly scopes?: readonly string[] | undefined;
  readonly audiences: readonly string[];
  readonly redirectUri?: string | undefined;
}

/** Throws a SignInError that names the member. */
export function readOAuthSettings(oauth: Readonly<Record<string, unknown>> = {}): OAuthSettings {
  const text = (key: string): string | undefined => {
    const value = oauth[key];
    if (value === undefined || value === '') return undefined;
    if (typeof value !== 'string') throw new SignInError('setup', `oauth.${key} must be a string.`);
    return value;
  };
  const texts = (key: string): readonly string[] | undefined => {
    const value = oauth[key];
    if (value === undefined) return undefined;
    if (Array.isArray(value) && value.every((each) => typeof each === 'string')) return value;
    throw new SignInError('setup', `oauth.${key} must be a list of strings.`);
  };
  return {
    enabled: oauth['enabled'] === true,
    clientId: text('clientId'),
    clientSecret: text('clientSecret'),
    authorizationUrl: text('authorizationUrl'),
    tokenUrl: text('tokenUrl'),
    registrationUrl: text('registrationUrl'),
    issuer: text('issuer'),
    scopes: texts('scopes'),
    audiences: texts('audiences') ?? [],
    redirectUri: text('redirectUri'),
  };
}
