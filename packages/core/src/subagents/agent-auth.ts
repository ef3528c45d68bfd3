/**
 * The `auth` key of a remote agent's file: its kinds, and what each needs. Values are kept as written: `$VAR` and
 * `!command` are expanded when a request needs them. Pure.
 */

import { isRecord } from '../util/is-record.ts';

export type AuthSettings =
  | { readonly type: 'apiKey'; readonly key: string; readonly header: string }
  | { readonly type: 'http'; readonly scheme: string; readonly token: string }
  | { readonly type: 'http'; readonly scheme: 'Basic'; readonly username: string; readonly password: string }
  | { readonly type: 'http'; readonly value: string }
  | { readonly type: 'google-credentials'; readonly scopes?: readonly string[] | undefined }
  | { readonly type: 'oauth'; readonly settings: Readonly<Record<string, unknown>> };

type Fields = Readonly<Record<string, unknown>>;

const KINDS = ['apiKey', 'http', 'google-credentials', 'oauth'];
const OAUTH_KEYS: Readonly<Record<string, string>> = {
  client_id: 'clientId',
  client_secret: 'clientSecret',
  scopes: 'scopes',
  authorization_url: 'authorizationUrl',
  token_url: 'tokenUrl',
  issuer: 'issuer',
  audiences: 'audiences',
  redirect_uri: 'redirectUri',
};

/** The problem as a sentence without its place. */
export function readAuth(auth: Fields): AuthSettings | { problem: string } {
  switch (auth['type']) {
    case 'apiKey':
      return readApiKey(auth);
    case 'http':
      return readHttp(auth);
    case 'google-credentials': {
      const { scopes } = auth;
      if (scopes !== undefined && !isTexts(scopes)) return { problem: 'scopes: expected a list of texts' };
      return { type: 'google-credentials', ...(scopes && { scopes }) };
    }
    case 'oauth':
    case 'oauth2':
      return readOAuth(auth);
    default:
      return { problem: `type: expected ${KINDS.join(', ')}, not ${JSON.stringify(auth['type']) ?? 'nothing'}` };
  }
}

function readApiKey({ key, name = 'X-API-Key' }: Fields): AuthSettings | { problem: string } {
  if (!isText(key)) return { problem: 'key: expected the key, $VAR or !command' };
  if (!isText(name) || !/^[\w-]+$/.test(name)) return { problem: 'name: expected the name of a header' };
  return { type: 'apiKey', key, header: name };
}

function readHttp({ scheme, token, username, password, value }: Fields): AuthSettings | { problem: string } {
  if (isText(value)) return { type: 'http', value };
  if (!isText(scheme)) return { problem: 'scheme: expected Bearer, Basic or another scheme' };
  if (isText(token)) return { type: 'http', scheme, token };
  if (isText(username) && isText(password)) return { type: 'http', scheme: 'Basic', username, password };
  return { problem: 'expected token, username and password, or value' };
}

function readOAuth(auth: Fields): AuthSettings | { problem: string } {
  const settings: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(auth)) {
    if (key === 'type') continue;
    const name = OAUTH_KEYS[key];
    if (name === undefined) return { problem: `${key}: unknown; the keys are ${Object.keys(OAUTH_KEYS).join(', ')}` };
    const isFit = name === 'scopes' || name === 'audiences' ? isTexts(value) : isText(value);
    if (!isFit)
      return {
        problem: `${key}: expected ${name === 'scopes' || name === 'audiences' ? 'a list of texts' : 'a text'}`,
      };
    settings[name] = value;
  }
  return { type: 'oauth', settings };
}

/** Commands that the values of an `auth` key would run, and variables they would send. */
export function describeSecrets(auth: Fields | undefined): { commands: string[]; variables: string[] } {
  const texts = Object.values(isRecord(auth) ? auth : {}).filter(isText);
  return {
    commands: texts.filter((text) => /^!(?!!)/.test(text)).map((text) => text.slice(1)),
    variables: texts.flatMap((text) => /^\$(?!\$)\{?(\w+)\}?$/.exec(text)?.[1] ?? []),
  };
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((each) => typeof each === 'string');
}
