/**
 * The scripted OAuth 2.1 server beside an MCP server: metadata, dynamic registration, authorization with PKCE, tokens,
 * refresh and revocation. A token expires only when the test says so; a rule on `POST /token` plays any other error.
 */

import { createHash, randomUUID } from 'node:crypto';
import { respond, respondJson } from './http-answer.ts';
import type { HttpContext } from './http-answer.ts';
import { authorizationMetadata, isAuthorizationMetadataPath } from './oauth-metadata.ts';
import type { McpEntry, McpHttpRequest } from './record.ts';
import type { McpOAuth } from './script.ts';

interface OAuthClient {
  readonly id: string;
  readonly secret?: string | undefined;
  /** Undefined: any. */
  readonly redirectUris?: readonly string[] | undefined;
}

interface Authorization {
  readonly clientId: string;
  readonly redirectUri: string;
  readonly challenge: string;
  readonly scope: string;
}

/** An error of the token endpoint and its kin. */
class OAuthError extends Error {
  readonly status: number;
  readonly error: string;

  constructor(error: string, description: string, status = 400) {
    super(description);
    this.error = error;
    this.status = status;
  }
}

type Fields = Readonly<Record<string, string>>;

const RESOURCE_METADATA = '/.well-known/oauth-protected-resource';

export class AuthorizationServer {
  issuer = '';
  /** Access tokens the server accepts now. */
  readonly accessTokens = new Set<string>();
  readonly refreshTokens = new Set<string>();
  /** Bodies of dynamic registrations. */
  readonly registrations: Record<string, unknown>[] = [];
  private readonly options: McpOAuth;
  private readonly note: (entry: McpEntry) => void;
  private readonly clients = new Map<string, OAuthClient>();
  private readonly authorizations = new Map<string, Authorization>();
  private resource = '';

  constructor(options: McpOAuth, note: (entry: McpEntry) => void) {
    this.options = options;
    this.note = note;
    for (const client of options.clients ?? []) this.clients.set(client.id, client);
    for (const token of options.tokens ?? []) this.accessTokens.add(token);
    for (const token of options.refreshTokens ?? []) this.refreshTokens.add(token);
  }

  /** The addresses, known when the ports are. */
  settle({ resource, origin }: { resource: string; origin: string }): void {
    this.resource = resource;
    this.issuer = `${origin}${this.options.issuerPath ?? ''}`;
  }

  /** Ends every access token; refresh tokens still work. */
  expireAccessTokens(): void {
    this.accessTokens.clear();
  }

  /** Ends every token. */
  revokeAll(): void {
    this.accessTokens.clear();
    this.refreshTokens.clear();
  }

  /** The `www-authenticate` for a request without a valid token, or undefined. */
  challenge(authorization: string | undefined): string | undefined {
    const [scheme = '', token = ''] = (authorization ?? '').split(' ');
    if (scheme.toLowerCase() === 'bearer' && this.accessTokens.has(token)) return undefined;
    const parts = [
      ...(authorization === undefined ? [] : ['error="invalid_token"']),
      ...((this.options.resourceMetadata ?? 'header') === 'header'
        ? [`resource_metadata="${new URL(`${RESOURCE_METADATA}/mcp`, this.resource).href}"`]
        : []),
    ];
    return ['Bearer', parts.join(', ')].join(' ').trim();
  }

  /** Whether it was a request for the protected resource metadata. */
  serveResourceMetadata({ request, response }: HttpContext): boolean {
    if (!request.path.startsWith(RESOURCE_METADATA) || this.options.resourceMetadata === 'none') return false;
    const path = request.path.slice(RESOURCE_METADATA.length);
    if (!['', '/mcp', '/sse'].includes(path)) return false;
    respondJson(response, 200, {
      resource: this.options.resource ?? new URL(path === '' ? '/mcp' : path, this.resource).href,
      authorization_servers: [this.issuer],
      scopes_supported: this.scopes,
      bearer_methods_supported: ['header'],
    });
    return true;
  }

  /** Whether it was a request to the authorization server. */
  serveIssuer(context: HttpContext): boolean {
    const { request, response } = context;
    const prefix = this.options.issuerPath ?? '';
    const { metadata = 'oauth' } = this.options;
    if (isAuthorizationMetadataPath(request.path, metadata, prefix)) {
      respondJson(response, 200, authorizationMetadata(this.issuer, this.scopes, this.options));
      return true;
    }
    const route = request.path.startsWith(`${prefix}/`) ? `${request.method} ${request.path.slice(prefix.length)}` : '';
    const endpoint = this.endpoints[route];
    if (!endpoint) return false;
    try {
      endpoint(context);
    } catch (error) {
      if (!(error instanceof OAuthError)) throw error;
      respondJson(response, error.status, { error: error.error, error_description: error.message });
    }
    return true;
  }

  private readonly endpoints: Readonly<Record<string, (context: HttpContext) => void>> = {
    'POST /register': (context) => this.register(context),
    'GET /authorize': (context) => this.authorize(context),
    'POST /token': (context) => this.token(context),
    'POST /revoke': (context) => this.revoke(context),
  };

  private get scopes(): readonly string[] {
    return this.options.scopes ?? ['read', 'write'];
  }

  private register({ request, response }: HttpContext): void {
    const { registration = true } = this.options;
    if (registration === false) throw new OAuthError('invalid_request', 'Registration is not supported.', 404);
    const body = JSON.parse(request.body) as Record<string, unknown>;
    const redirectUris = body['redirect_uris'];
    if (!Array.isArray(redirectUris) || redirectUris.length === 0) {
      throw new OAuthError('invalid_redirect_uri', 'redirect_uris is missing.');
    }
    this.registrations.push(body);
    const id = `client-${this.registrations.length}`;
    const secret = registration === 'secret' ? randomUUID() : undefined;
    this.clients.set(id, { id, secret, redirectUris: redirectUris as string[] });
    respondJson(response, 201, {
      ...body,
      client_id: id,
      ...(secret !== undefined && { client_secret: secret, client_secret_expires_at: 0 }),
    });
  }

  /** Errors about the client or its address are shown; all others go back to the client by redirect. */
  private authorize({ request, response }: HttpContext): void {
    const { query } = request;
    const client = this.clients.get(query['client_id'] ?? '');
    if (!client) throw new OAuthError('invalid_client', 'Unknown client_id.');
    const redirectUri = query['redirect_uri'] ?? '';
    if (!(client.redirectUris?.includes(redirectUri) ?? true)) {
      throw new OAuthError('invalid_request', 'Unregistered redirect_uri.');
    }
    const target = new URL(redirectUri);
    const answer = this.decide(query, client.id, redirectUri);
    for (const [name, value] of Object.entries(answer)) target.searchParams.set(name, value);
    respond(response, { status: 302, headers: { location: target.href } });
  }

  private decide(query: Fields, clientId: string, redirectUri: string): Fields {
    const { consent = 'grant' } = this.options;
    const state = query['state'] === undefined ? {} : { state: query['state'] };
    if (query['response_type'] !== 'code') return { error: 'unsupported_response_type', ...state };
    if (query['code_challenge'] === undefined || query['code_challenge_method'] !== 'S256') {
      this.violate('an authorization request has no PKCE challenge with S256');
      return { error: 'invalid_request', error_description: 'PKCE with S256 is required.', ...state };
    }
    if (query['state'] === undefined) this.violate('an authorization request has no state');
    this.judgeResource(query, 'an authorization request');
    if (consent === 'deny') return { error: 'access_denied', error_description: 'The user said no.', ...state };
    if (consent === 'no_code') return state;
    const code = randomUUID();
    const scope = query['scope'] ?? this.scopes.join(' ');
    this.authorizations.set(code, { clientId, redirectUri, challenge: query['code_challenge'], scope });
    return { code, ...(consent === 'wrong_state' ? { state: 'forged' } : state), iss: this.issuer };
  }

  private token({ request, response }: HttpContext): void {
    const fields: Fields = Object.fromEntries(new URLSearchParams(request.body));
    const client = this.authenticate(request, fields);
    this.judgeResource(fields, 'a token request');
    const scope = this.redeem(fields, client);
    const { expiresIn = 3600, refresh = 'rotate' } = this.options;
    const accessToken = this.issue(this.accessTokens, 'access');
    const isFirst = fields['grant_type'] === 'authorization_code';
    const hasRefresh = refresh === 'rotate' || (refresh === 'keep' && isFirst);
    respondJson(
      response,
      200,
      {
        access_token: accessToken,
        token_type: 'Bearer',
        ...(expiresIn !== null && { expires_in: expiresIn }),
        ...(hasRefresh && { refresh_token: this.issue(this.refreshTokens, 'refresh') }),
        scope,
      },
      { 'cache-control': 'no-store' },
    );
  }

  /** Uses up the grant and returns its scope. */
  private redeem(fields: Fields, client: OAuthClient): string {
    if (fields['grant_type'] === 'authorization_code') return this.redeemCode(fields, client);
    if (fields['grant_type'] !== 'refresh_token') {
      throw new OAuthError('unsupported_grant_type', `Unsupported grant_type: ${fields['grant_type']}`);
    }
    const token = fields['refresh_token'] ?? '';
    if (!this.refreshTokens.has(token)) throw new OAuthError('invalid_grant', 'The refresh token is invalid.');
    if ((this.options.refresh ?? 'rotate') === 'rotate') this.refreshTokens.delete(token);
    return fields['scope'] ?? this.scopes.join(' ');
  }

  private redeemCode(fields: Fields, client: OAuthClient): string {
    const code = fields['code'] ?? '';
    const authorization = this.authorizations.get(code);
    this.authorizations.delete(code);
    if (!authorization || authorization.clientId !== client.id) {
      throw new OAuthError('invalid_grant', 'The code is invalid.');
    }
    if (fields['redirect_uri'] !== authorization.redirectUri) {
      throw new OAuthError('invalid_grant', 'redirect_uri differs from the authorization request.');
    }
    const verifier = createHash('sha256')
      .update(fields['code_verifier'] ?? '')
      .digest('base64url');
    if (verifier !== authorization.challenge) throw new OAuthError('invalid_grant', 'The code_verifier is invalid.');
    return authorization.scope;
  }

  private authenticate({ headers }: McpHttpRequest, fields: Fields): OAuthClient {
    const basic = /^Basic (.+)$/i.exec(headers['authorization'] ?? '')?.[1];
    const [basicId, basicSecret] = basic === undefined ? [] : Buffer.from(basic, 'base64').toString().split(':');
    const id = basicId === undefined ? fields['client_id'] : decodeURIComponent(basicId);
    const secret = basicSecret === undefined ? fields['client_secret'] : decodeURIComponent(basicSecret);
    const client = this.clients.get(id ?? '');
    if (!client) throw new OAuthError('invalid_client', 'Unknown client_id.', 401);
    if (client.secret !== undefined && client.secret !== secret) {
      throw new OAuthError('invalid_client', 'Wrong client_secret.', 401);
    }
    return client;
  }

  private revoke({ request, response }: HttpContext): void {
    const token = new URLSearchParams(request.body).get('token') ?? '';
    this.accessTokens.delete(token);
    this.refreshTokens.delete(token);
    respond(response, { status: 200 });
  }

  private issue(tokens: Set<string>, kind: string): string {
    const token = `${kind}-${randomUUID()}`;
    tokens.add(token);
    return token;
  }

  /** A client names the server that its token is for. */
  private judgeResource(fields: Fields, where: string): void {
    if (fields['resource'] === undefined) this.violate(`${where} has no resource`);
  }

  private violate(rule: string): void {
    this.note({ event: 'violation', rule });
  }
}
