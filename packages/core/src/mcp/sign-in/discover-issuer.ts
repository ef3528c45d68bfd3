/**
 * Reads the metadata of an authorization server (RFC 8414, OpenID Connect). A document counts only if it names the
 * issuer it was requested for: else one server could pass off another's endpoints as its own.
 */

import { cleanLine } from '../clean-text.ts';
import type { OAuthHttp } from './oauth-http.ts';
import { toSafeAddress } from './safe-address.ts';
import { SignInError } from './sign-in-error.ts';

export interface IssuerMetadata {
  readonly issuer: string;
  readonly authorizationUrl: URL;
  readonly tokenUrl: URL;
  readonly registrationUrl?: URL | undefined;
  readonly revocationUrl?: URL | undefined;
  readonly scopes: readonly string[];
  /** How the token endpoint accepts a secret; empty: not stated. */
  readonly authMethods: readonly string[];
  /** Undefined: not stated. */
  readonly challengeMethods?: readonly string[] | undefined;
  /** Its answers name the issuer (RFC 9207). */
  readonly answersNameIssuer: boolean;
}

/** Undefined when the issuer has no metadata. Throws a SignInError for a document that may not be used. */
export async function discoverIssuer(issuer: URL, http: OAuthHttp): Promise<IssuerMetadata | undefined> {
  let other: string | undefined;
  for (const { address, identifier } of candidates(issuer)) {
    const { status, fields } = await http.get(address);
    if (status !== 200 || typeof fields['issuer'] !== 'string') continue;
    if (withoutSlash(fields['issuer']) === identifier) return toMetadata(fields, identifier, http.server);
    other ??= `${address.href} is the metadata of another issuer: ${cleanLine(fields['issuer'], 200)}`;
  }
  if (other === undefined) return undefined;
  throw new SignInError('setup', `${other}. Castor does not use it; set oauth.issuer, if that is the right one.`);
}

/** For an issuer with a path its own documents, then those of the host. */
function candidates(issuer: URL): { address: URL; identifier: string }[] {
  const { origin } = issuer;
  const path = withoutSlash(issuer.pathname);
  const at = (wellKnown: string, identifier: string) => ({ address: new URL(wellKnown, origin), identifier });
  const ofPath = [
    at(`/.well-known/oauth-authorization-server${path}`, origin + path),
    at(`/.well-known/openid-configuration${path}`, origin + path),
    at(`${path}/.well-known/openid-configuration`, origin + path),
  ];
  const ofHost = [
    at('/.well-known/oauth-authorization-server', origin),
    at('/.well-known/openid-configuration', origin),
  ];
  return path === '' ? ofHost : [...ofPath, ...ofHost];
}

function toMetadata(fields: Readonly<Record<string, unknown>>, issuer: string, server: URL): IssuerMetadata {
  const address = (key: string) => toSafeAddress(fields[key], { what: `The ${key} of ${issuer}`, server });
  const optional = (key: string) => (fields[key] === undefined ? undefined : address(key));
  return {
    issuer,
    authorizationUrl: address('authorization_endpoint'),
    tokenUrl: address('token_endpoint'),
    registrationUrl: optional('registration_endpoint'),
    revocationUrl: optional('revocation_endpoint'),
    scopes: toTexts(fields['scopes_supported']) ?? [],
    authMethods: toTexts(fields['token_endpoint_auth_methods_supported']) ?? [],
    challengeMethods: toTexts(fields['code_challenge_methods_supported']),
    answersNameIssuer: fields['authorization_response_iss_parameter_supported'] === true,
  };
}

export function toTexts(value: unknown): string[] | undefined {
  return Array.isArray(value) ? value.filter((each): each is string => typeof each === 'string') : undefined;
}

export function withoutSlash(text: string): string {
  return text.endsWith('/') ? text.slice(0, -1) : text;
}
