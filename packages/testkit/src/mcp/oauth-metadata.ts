/** The metadata documents of the scripted authorization server, and where they are. */

import type { McpOAuth } from './script.ts';

/** `prefix` is the path of the issuer, or empty. */
export function isAuthorizationMetadataPath(
  path: string,
  kind: NonNullable<McpOAuth['metadata']>,
  prefix: string,
): boolean {
  if (kind === 'oauth') return path === `/.well-known/oauth-authorization-server${prefix}`;
  if (kind === 'none') return false;
  return [`/.well-known/openid-configuration${prefix}`, `${prefix}/.well-known/openid-configuration`].includes(path);
}

export function authorizationMetadata(
  issuer: string,
  scopes: readonly string[],
  { registration = true, metadataFields = {} }: McpOAuth,
): Record<string, unknown> {
  const fields = {
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    ...(registration !== false && { registration_endpoint: `${issuer}/register` }),
    revocation_endpoint: `${issuer}/revoke`,
    scopes_supported: scopes,
    response_types_supported: ['code'],
    grant_types_supported: ['authorization_code', 'refresh_token'],
    token_endpoint_auth_methods_supported: ['none', 'client_secret_post', 'client_secret_basic'],
    code_challenge_methods_supported: ['S256'],
    authorization_response_iss_parameter_supported: true,
    ...metadataFields,
  };
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null));
}
