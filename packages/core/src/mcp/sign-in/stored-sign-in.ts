/** StoredSignIn: the tokens of one MCP server, in the format of Gemini CLI's token store. Pure. */

import { isRecord } from '../../util/is-record.ts';

export interface StoredToken {
  readonly accessToken: string;
  readonly refreshToken?: string | undefined;
  /** Milliseconds since the epoch; absent: it does not expire. */
  readonly expiresAt?: number | undefined;
  readonly tokenType: string;
  readonly scope?: string | undefined;
}

export interface StoredSignIn {
  readonly serverName: string;
  readonly token: StoredToken;
  readonly clientId?: string | undefined;
  readonly tokenUrl?: string | undefined;
  readonly mcpServerUrl?: string | undefined;
  readonly updatedAt: number;
  /** Ours, from here on; Gemini CLI keeps them. Of a registered client. */
  readonly clientSecret?: string | undefined;
  readonly clientAuthentication?: 'post' | 'basic' | undefined;
  readonly revocationUrl?: string | undefined;
  readonly issuer?: string | undefined;
  readonly resource?: string | undefined;
}

/** Undefined for a value that is not a sign-in. */
export function toStoredSignIn(value: unknown): StoredSignIn | undefined {
  if (!isRecord(value) || !isRecord(value['token']) || typeof value['serverName'] !== 'string') return undefined;
  const { token } = value;
  const { accessToken, refreshToken, expiresAt, tokenType, scope } = token;
  if (typeof accessToken !== 'string' || accessToken === '') return undefined;
  const text = (key: string) => (typeof value[key] === 'string' ? value[key] : undefined);
  const method = text('clientAuthentication');
  return {
    serverName: value['serverName'],
    token: {
      accessToken,
      refreshToken: typeof refreshToken === 'string' && refreshToken !== '' ? refreshToken : undefined,
      expiresAt: typeof expiresAt === 'number' ? expiresAt : undefined,
      tokenType: typeof tokenType === 'string' ? tokenType : 'Bearer',
      scope: typeof scope === 'string' ? scope : undefined,
    },
    clientId: text('clientId'),
    tokenUrl: text('tokenUrl'),
    mcpServerUrl: text('mcpServerUrl'),
    updatedAt: typeof value['updatedAt'] === 'number' ? value['updatedAt'] : 0,
    clientSecret: text('clientSecret'),
    clientAuthentication: method === 'post' || method === 'basic' ? method : undefined,
    revocationUrl: text('revocationUrl'),
    issuer: text('issuer'),
    resource: text('resource'),
  };
}

const LONGEST_MARGIN_MS = 5 * 60_000;

/** Whether the token should be renewed: a part of its life before it ends, as other clocks differ. */
export function isDue({ token: { expiresAt }, updatedAt }: StoredSignIn, now: number): boolean {
  if (expiresAt === undefined) return false;
  const lifetime = Math.max(0, expiresAt - updatedAt);
  return now >= expiresAt - Math.min(LONGEST_MARGIN_MS, updatedAt === 0 ? LONGEST_MARGIN_MS : lifetime / 5);
}

export function isOver({ token: { expiresAt } }: StoredSignIn, now: number): boolean {
  return expiresAt !== undefined && now >= expiresAt;
}

/** Whether a sign-in belongs to this server: its tokens are for one address, whatever another entry is called. */
export function belongsTo(
  { serverName, mcpServerUrl }: StoredSignIn,
  { name, url, isOfProject }: { name: string; url: string; isOfProject: boolean },
): boolean {
  if (serverName !== name) return false;
  // Gemini CLI may leave the address out; then a project cannot claim the token by the name alone.
  if (mcpServerUrl === undefined) return !isOfProject;
  return toKey(mcpServerUrl) === toKey(url);
}

function toKey(text: string): string {
  const url = URL.parse(text);
  return url === null ? text : `${url.origin}${url.pathname}${url.search}`;
}
