/**
 * McpServer: one configured server, resolved from its entry: how it is reached, its limits, the tools it may offer,
 * and the fingerprint that a consent is bound to. Pure.
 */

import type { McpServerSettings } from '../config/table/tools.ts';
import type { SourceKind } from '../protocol/source.ts';
import { isRecord } from '../util/is-record.ts';
import { sha256 } from '../util/sha256.ts';

export interface StdioAddress {
  readonly kind: 'stdio';
  readonly command: string;
  readonly args: readonly string[];
  /** Added to the environment that every server gets. */
  readonly env: Readonly<Record<string, string>>;
  /** Relative to the folder the agent works in, which is the default. */
  readonly cwd?: string | undefined;
}

export interface NetworkAddress {
  /** `http-or-sse`: streamable HTTP first; SSE after any failure except a missing sign-in. */
  readonly kind: 'http' | 'sse' | 'http-or-sse';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

export type ServerAddress = StdioAddress | NetworkAddress;

export interface McpServer {
  readonly name: string;
  readonly source: SourceKind;
  /** The extension that provides it. */
  readonly owner?: string | undefined;
  readonly file?: string | undefined;
  readonly address: ServerAddress;
  /** The limit of a call. */
  readonly timeoutMs: number;
  /** The limit of a connection, tools included. */
  readonly startLimitMs: number;
  /** The user's word that its tools need no approval. */
  readonly trust: boolean;
  readonly description?: string | undefined;
  /** Absent: all. */
  readonly includeTools?: readonly string[] | undefined;
  readonly excludeTools: readonly string[];
  /** As written; read when the server needs a sign-in. */
  readonly oauth?: Readonly<Record<string, unknown>> | undefined;
  readonly authProvider?: string | undefined;
  readonly targetAudience?: string | undefined;
  readonly targetServiceAccount?: string | undefined;
  /** Whether the server may ask the model: never, with the user's approval each time, or without. */
  readonly sampling: 'off' | 'ask' | 'allow';
  /** Changes with every change of the entry. */
  readonly fingerprint: string;
}

/** Instead of a sign-in with OAuth. */
export function usesGoogleCredentials({ authProvider }: Pick<McpServer, 'authProvider'>): boolean {
  return authProvider === 'google_credentials' || authProvider === 'service_account_impersonation';
}

export const DEFAULT_CALL_LIMIT_MS = 600_000;
export const DEFAULT_START_LIMIT_MS = 30_000;

export interface EntryOrigin {
  name: string;
  source: SourceKind;
  owner?: string | undefined;
  file?: string | undefined;
  /** `file:line` of a key such as `name.args`. */
  locate?: ((key: string) => string | undefined) | undefined;
  /** The entry before variables were expanded. */
  written: unknown;
  startLimitMs: number;
}

export interface ResolvedEntry {
  server?: McpServer;
  /** Why the entry is not a server; absent for an entry that only restricts one of an extension. */
  problem?: string;
  /** Sentences about parts of the entry without an effect. */
  warnings: string[];
}

/** The address is chosen by the keys present, not by `type`, as in Gemini CLI. */
export function resolveEntry(entry: McpServerSettings, origin: EntryOrigin): ResolvedEntry {
  const { name, source, owner, file, startLimitMs } = origin;
  const { values, warnings } = withoutUnknownVariables(entry, origin);
  const address = addressOf(values);
  if (typeof address === 'string') return { problem: `The MCP server ${name} ${address}`, warnings };
  if (address === undefined) return { warnings };
  const timeoutMs = values.timeout !== undefined && values.timeout > 0 ? values.timeout : DEFAULT_CALL_LIMIT_MS;
  return {
    warnings,
    server: {
      ...{ name, source, owner, file, address, timeoutMs },
      // A short limit of calls is also the most a start may take; a long one does not make a start slow.
      startLimitMs: Math.min(startLimitMs, timeoutMs),
      trust: values.trust === true,
      description: values.description,
      includeTools: values.includeTools,
      excludeTools: values.excludeTools ?? [],
      oauth: values.oauth,
      authProvider: values.authProviderType,
      targetAudience: values.targetAudience,
      targetServiceAccount: values.targetServiceAccount,
      sampling: samplingOf(values, source),
      fingerprint: fingerprintOf(entry, origin.written),
    },
  };
}

/** Only the user spends the user's budget: a project may propose it. */
function samplingOf({ sampling = 'off' }: McpServerSettings, source: SourceKind): McpServer['sampling'] {
  return sampling === 'allow' && source === 'project' ? 'ask' : sampling;
}

/** Undefined for an entry without an address, a sentence for an invalid one. */
function addressOf(entry: McpServerSettings): ServerAddress | string | undefined {
  const { command, args = [], env = {}, cwd, url, httpUrl, type, headers = {}, tcp } = entry;
  const target = httpUrl ?? url;
  if (target !== undefined) {
    const problem = problemOfUrl(target);
    if (problem !== undefined) return problem;
    const kind = httpUrl !== undefined || type === 'http' ? 'http' : type === 'sse' ? 'sse' : 'http-or-sse';
    return { kind, url: target, headers };
  }
  if (command !== undefined && command.trim() !== '') return { kind: 'stdio', command, args, env, cwd };
  if (tcp !== undefined) return 'names only "tcp", which is unsupported. Name a command or a url.';
  return isAdjustment(entry) ? undefined : 'has neither a command nor a url. Name one of them.';
}

/** An entry that adjusts a server of an extension, which may not be installed. */
function isAdjustment({ command, args, cwd, headers, type, ...rest }: McpServerSettings): boolean {
  const isServer = [command, args, cwd, headers, type].some((value) => value !== undefined);
  return !isServer && Object.values(rest).some((value) => value !== undefined);
}

function problemOfUrl(text: string): string | undefined {
  const url = URL.parse(text);
  if (url === null) return `has an invalid url: ${JSON.stringify(text)}. Write it with http:// or https://.`;
  return ['http:', 'https:'].includes(url.protocol)
    ? undefined
    : `has a url of the unsupported scheme ${url.protocol.slice(0, -1)}. Use http or https.`;
}

const REFERENCE = /\$(?:\{([A-Za-z_]\w*)\}|([A-Za-z_]\w*))/g;

/**
 * An unknown variable in `env` and `headers` becomes empty, as in Gemini CLI, and is reported wherever it is. Only
 * references of the file count: a dollar sign in a variable's value is data.
 */
function withoutUnknownVariables(
  entry: McpServerSettings,
  { name, file, locate, written }: EntryOrigin,
): { values: McpServerSettings; warnings: string[] } {
  const unknown = new Map<string, string>();
  const visit = (value: unknown, text: unknown, path: string, isCleared: boolean): unknown => {
    if (typeof value === 'string') {
      if (typeof text !== 'string') return value;
      return [...text.matchAll(REFERENCE)].reduce((rest, [whole, braced, bare]) => {
        if (!rest.includes(whole)) return rest;
        unknown.set(braced ?? bare!, path);
        return isCleared ? rest.replaceAll(whole, '') : rest;
      }, value);
    }
    if (Array.isArray(value)) {
      const others: unknown[] = Array.isArray(text) ? text : [];
      return value.map((item: unknown, index) => visit(item, others[index], path, isCleared));
    }
    if (!isRecord(value)) return value;
    const others = isRecord(text) ? text : {};
    return Object.fromEntries(
      Object.entries(value).map(([key, item]) => {
        const place = `${path}.${key}`;
        return [key, visit(item, others[key], place, isCleared || /\.(env|headers)$/.test(place))];
      }),
    );
  };
  const values = visit(entry, written, `mcpServers.${name}`, false) as McpServerSettings;
  const warnings = [...unknown].map(([variable, path]) => {
    const where = locate?.(path.slice('mcpServers.'.length)) ?? file;
    return `${where === undefined ? '' : `${where}: `}${path} uses $${variable}, which is not set.`;
  });
  return { values, warnings };
}

/** A new value of a credential changes nothing about what runs. */
const CREDENTIAL = /token|secret|passw|key|auth|cred|private|cert/i;

/** Of the entry as written, and of what would run or be connected to: a variable of the project may change it. */
function fingerprintOf({ command, args, cwd, url, httpUrl, env = {} }: McpServerSettings, written: unknown): string {
  const named = isRecord(written) && isRecord(written['env']) ? written['env'] : {};
  const variables = Object.entries(env).filter(([name]) => Object.hasOwn(named, name) && !CREDENTIAL.test(name));
  return sha256(toStableJson([written, command, args, cwd, url, httpUrl, Object.fromEntries(variables)]));
}

/** Keys sorted, so that the order of a file is irrelevant. */
export function toStableJson(value: unknown): string {
  return JSON.stringify(value, (_key, item: unknown) =>
    isRecord(item) ? Object.fromEntries(Object.entries(item).sort(([a], [b]) => (a < b ? -1 : 1))) : item,
  );
}
