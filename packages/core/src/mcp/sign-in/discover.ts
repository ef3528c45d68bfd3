/**
 * Discovers how to sign in to an MCP server: its protected resource metadata (RFC 9728), which names the authorization
 * server, and that server's metadata. Addresses of the entry's `oauth` key replace what is discovered.
 */

import { cleanLine } from '../clean-text.ts';
import type { NetworkAddress } from '../server-config.ts';
import { readChallenge } from './challenge.ts';
import type { Challenge } from './challenge.ts';
import { discoverIssuer, toTexts, withoutSlash } from './discover-issuer.ts';
import type { IssuerMetadata } from './discover-issuer.ts';
import type { OAuthHttp } from './oauth-http.ts';
import type { OAuthSettings } from './oauth-settings.ts';
import { toSafeAddress } from './safe-address.ts';
import { SignInError } from './sign-in-error.ts';

export interface Discovery extends Omit<IssuerMetadata, 'issuer' | 'scopes'> {
  /** Undefined if the addresses are configured and no issuer is. */
  readonly issuer?: string | undefined;
  /** What the token is for (RFC 8707). */
  readonly resource: string;
  /** Empty: the authorization server decides. */
  readonly scopes: readonly string[];
}

interface ProtectedResource {
  resource: string;
  issuers: readonly string[];
  scopes: readonly string[];
}

const REQUEST = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'castor-mcp-client', version: '0' } },
};

/** Throws a SignInError that says what to configure. */
export async function discover(address: NetworkAddress, settings: OAuthSettings, http: OAuthHttp): Promise<Discovery> {
  const { server } = http;
  const configured = (key: 'authorizationUrl' | 'tokenUrl' | 'registrationUrl' | 'issuer') =>
    settings[key] === undefined ? undefined : toSafeAddress(settings[key], { what: `oauth.${key}`, server });
  const authorizationUrl = configured('authorizationUrl');
  const tokenUrl = configured('tokenUrl');
  const registrationUrl = configured('registrationUrl');
  const issuer = configured('issuer');
  const canonical = `${server.origin}${server.pathname === '/' ? '' : server.pathname}`;
  if (authorizationUrl && tokenUrl) {
    const scopes = settings.scopes ?? [];
    const rest = {
      registrationUrl,
      issuer: settings.issuer && withoutSlash(settings.issuer),
      resource: canonical,
      scopes,
    };
    return { ...rest, authorizationUrl, tokenUrl, authMethods: [], answersNameIssuer: false };
  }
  const { challenge, isOpen } = await challengeOf(address, http);
  const resource = await findResource(challenge, http);
  const named = issuer ?? (resource && toIssuer(resource, server));
  const found = await findIssuer(named, http);
  if (!found) throw missing(server, named, isOpen);
  return {
    ...found,
    ...(authorizationUrl && { authorizationUrl }),
    ...(tokenUrl && { tokenUrl }),
    ...(registrationUrl && { registrationUrl }),
    resource: resource?.resource ?? canonical,
    scopes: settings.scopes ?? scopesOf(challenge, resource, found),
  };
}

/** What the server answers to a client without a token. */
async function challengeOf({ kind, headers }: NetworkAddress, http: OAuthHttp) {
  const init: RequestInit =
    kind === 'sse'
      ? { method: 'GET', headers: { ...headers, accept: 'text/event-stream' } }
      : {
          method: 'POST',
          headers: { ...headers, accept: 'application/json, text/event-stream', 'content-type': 'application/json' },
          body: JSON.stringify(REQUEST),
        };
  const answer = await http.probe(init);
  return { challenge: readChallenge(answer.headers.get('www-authenticate')), isOpen: answer.status < 300 };
}

async function findResource({ resourceMetadata }: Challenge, http: OAuthHttp): Promise<ProtectedResource | undefined> {
  const { server } = http;
  const path = withoutSlash(server.pathname);
  const wellKnown = ['', ...(path === '' ? [] : [path])].toReversed();
  const addresses =
    resourceMetadata === undefined
      ? wellKnown.map((each) => new URL(`/.well-known/oauth-protected-resource${each}`, server))
      : [toSafeAddress(resourceMetadata, { what: 'The resource_metadata of the server', server })];
  for (const address of addresses) {
    const { status, fields } = await http.get(address);
    if (status !== 200 || fields['resource'] === undefined) continue;
    const { resource, authorization_servers: issuers, scopes_supported: scopes } = fields;
    if (typeof resource !== 'string' || !covers(resource, server)) {
      const shown = cleanLine(JSON.stringify(resource) ?? '', 200);
      const sentence = `${address.href} is the metadata of another resource: ${shown} instead of ${server.href}.`;
      throw new SignInError('setup', `${sentence} Castor does not use it.`);
    }
    return { resource, issuers: toTexts(issuers) ?? [], scopes: toTexts(scopes) ?? [] };
  }
  return undefined;
}

/** The same host, and the path of the server or one above it. */
function covers(resource: string, server: URL): boolean {
  const url = URL.parse(resource);
  if (url?.origin !== server.origin) return false;
  const path = withoutSlash(url.pathname);
  return server.pathname === path || server.pathname.startsWith(`${path}/`);
}

function toIssuer({ issuers: [first] }: ProtectedResource, server: URL): URL | undefined {
  return first === undefined ? undefined : toSafeAddress(first, { what: 'The authorization server', server });
}

/** Before there was metadata of resources, an MCP server was its own authorization server. */
async function findIssuer(named: URL | undefined, http: OAuthHttp): Promise<IssuerMetadata | undefined> {
  return discoverIssuer(named ?? new URL(http.server.origin + withoutSlash(http.server.pathname)), http);
}

/** The least that the server asks for; `offline_access` is what some servers need for a refresh token. */
function scopesOf({ scope }: Challenge, resource: ProtectedResource | undefined, { scopes }: IssuerMetadata): string[] {
  const wanted = scope?.split(' ').filter((each) => each !== '') ?? [...(resource?.scopes ?? [])];
  const isOffline = wanted.length > 0 && scopes.includes('offline_access') && !wanted.includes('offline_access');
  return isOffline ? [...wanted, 'offline_access'] : wanted;
}

function missing(server: URL, issuer: URL | undefined, isOpen: boolean): SignInError {
  const where = issuer === undefined ? server.href : issuer.href;
  const open = isOpen ? `${server.href} answers without a sign-in. Otherwise, ` : '';
  return new SignInError(
    'setup',
    `${where} has no OAuth metadata. ${open}${open === '' ? 'S' : 's'}et oauth.authorizationUrl and oauth.tokenUrl in the entry of the server.`,
  );
}
