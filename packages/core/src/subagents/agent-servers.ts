/** The MCP servers of an agent's file: converts its keys to those of the settings. Pure. */

import { isRecord } from '../util/is-record.ts';
import type { Fields } from './front-matter-fields.ts';

/** Keys that differ from those of the settings. */
const RENAMED: Readonly<Record<string, string>> = {
  http_url: 'httpUrl',
  include_tools: 'includeTools',
  exclude_tools: 'excludeTools',
};
const KNOWN: ReadonlySet<string> = new Set([
  ...['command', 'args', 'env', 'cwd', 'url', 'headers', 'tcp', 'type', 'timeout', 'trust', 'description', 'auth'],
  ...Object.keys(RENAMED),
]);
const OAUTH: Readonly<Record<string, string>> = {
  client_id: 'clientId',
  client_secret: 'clientSecret',
  authorization_url: 'authorizationUrl',
  token_url: 'tokenUrl',
  redirect_uri: 'redirectUri',
  token_param_name: 'tokenParamName',
  registration_url: 'registrationUrl',
};

export function toServers(fields: Fields): Record<string, unknown> {
  const servers = fields.record('mcp_servers') ?? {};
  return Object.fromEntries(
    Object.entries(servers).flatMap(([name, entry]) => {
      if (isRecord(entry)) return [[name, toEntry(name, entry, fields)]];
      fields.fail('mcp_servers', `the server ${name}: expected a map with command, url or http_url`);
      return [];
    }),
  );
}

function toEntry(name: string, entry: Record<string, unknown>, fields: Fields): Record<string, unknown> {
  const converted: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(entry)) {
    if (!KNOWN.has(key)) fields.warn('mcp_servers', `the server ${name}: unknown key ${key}, ignored`);
    else if (key === 'auth') Object.assign(converted, toAuth(name, value, fields));
    // A file cannot free its own server from approvals.
    else if (key !== 'trust') converted[RENAMED[key] ?? key] = value;
  }
  return converted;
}

function toAuth(name: string, auth: unknown, fields: Fields): Record<string, unknown> {
  if (!isRecord(auth) || (auth['type'] !== 'google-credentials' && auth['type'] !== 'oauth')) {
    fields.fail('mcp_servers', `the server ${name}: auth: expected type: google-credentials or type: oauth`);
    return {};
  }
  const { type, ...rest } = auth;
  const oauth = Object.fromEntries(Object.entries(rest).map(([key, value]) => [OAUTH[key] ?? key, value]));
  return type === 'oauth' ? { oauth: { enabled: true, ...oauth } } : { authProviderType: 'google_credentials', oauth };
}
