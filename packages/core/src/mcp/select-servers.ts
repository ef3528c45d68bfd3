/**
 * Selects the MCP servers of a start: merges the layers, applies the restrictions of the user and the administrator,
 * and states for every other server why it does not run. Pure.
 */

import type { McpServerSettings } from '../config/table/tools.ts';
import { splitCommand } from '../tools/split-command.ts';
import { getErrorMessage } from '../protocol/errors.ts';
import { isRecord } from '../util/is-record.ts';
import { DEFAULT_START_LIMIT_MS, resolveEntry } from './server-config.ts';
import type { EntryOrigin, McpServer } from './server-config.ts';
import { fitEntry } from './server-entry.ts';
import type { McpLayer } from './server-layer.ts';

/** The lists of the administrator, from `admin.mcp` and `mcp` of the administrator's file: nothing widens them. */
export interface AdminServers {
  /** `mcp.allowed`; an empty list allows none. */
  allowed?: readonly string[] | undefined;
  /** `mcp.excluded`. */
  excluded?: readonly string[] | undefined;
  enabled?: boolean;
  /** The only allowed servers; empty: no restriction. */
  config?: Readonly<Record<string, unknown>>;
  /** Network servers that always run. */
  requiredConfig?: Readonly<Record<string, unknown>>;
}

export interface ServerRestrictions {
  /** `mcp.allowed`, merged over the layers; an empty list allows none. */
  allowed?: readonly string[] | undefined;
  /** `mcp.excluded`. */
  excluded?: readonly string[] | undefined;
  /** The servers named for this run: they replace both lists, within those of the administrator. */
  named?: readonly string[] | undefined;
  admin?: AdminServers | undefined;
  /** Servers that the user disabled. */
  disabled?: readonly string[] | undefined;
  startLimitMs?: number | undefined;
}

export type IdleReason = 'blocked' | 'disabled' | 'invalid';

/** A configured server that does not run. */
export interface IdleServer {
  name: string;
  reason: IdleReason;
  /** A sentence for the user. */
  message: string;
}

export interface ServerSelection {
  /** In the order of their names. */
  servers: McpServer[];
  idle: IdleServer[];
  warnings: string[];
}

interface MergedEntry extends Omit<EntryOrigin, 'startLimitMs'> {
  entry: McpServerSettings;
}

export function selectServers(layers: readonly McpLayer[], restrictions: ServerRestrictions = {}): ServerSelection {
  const selection: ServerSelection = { servers: [], idle: [], warnings: [] };
  const { admin = {}, startLimitMs = DEFAULT_START_LIMIT_MS } = restrictions;
  for (const { problem } of layers) if (problem !== undefined) selection.warnings.push(problem);
  const merged = mergeLayers(layers, selection.warnings);
  addServerCommand(merged, layers, admin, selection.warnings);
  const permitted = throughAdmin(merged, admin, selection);
  for (const { entry, ...origin } of permitted.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
    const idle = findObstacle(origin.name, restrictions);
    if (idle !== undefined) {
      selection.idle.push({ name: origin.name, ...idle });
      // A server that this run asks for by its name is not left out in silence.
      if (contains(restrictions.named ?? [], origin.name)) selection.warnings.push(idle.message);
      continue;
    }
    const { server, problem, warnings } = resolveEntry(entry, { ...origin, startLimitMs });
    selection.warnings.push(...warnings);
    if (server) selection.servers.push(server);
    if (problem !== undefined) selection.idle.push({ name: origin.name, reason: 'invalid', message: problem });
  }
  return selection;
}

/** The entry of a stronger layer of settings replaces a weaker one; a server of an extension is only adjusted. */
function mergeLayers(layers: readonly McpLayer[], warnings: string[]): Map<string, MergedEntry> {
  const ofSettings = new Map<string, MergedEntry>();
  const ofExtensions = new Map<string, MergedEntry>();
  for (const layer of layers) {
    const { source, owner, file, servers, written, locate } = layer;
    for (const name of Object.keys(servers)) {
      const entry = fitEntry(name, layer, warnings);
      if (!entry) continue;
      const found = { name, source, owner, file, locate, entry, written: written[name] };
      const weaker = ofSettings.get(name);
      if (source !== 'extension') ofSettings.set(name, weaker ? replaceEntry(weaker, found, warnings) : found);
      else if (!ofExtensions.has(name)) ofExtensions.set(name, found);
      else warnings.push(`The MCP server ${name} of the extension ${owner} was skipped: its name is taken.`);
    }
  }
  const merged = new Map(ofExtensions);
  for (const [name, found] of ofSettings) {
    const lower = ofExtensions.get(name);
    merged.set(name, lower ? adjust(lower, found) : found);
  }
  return merged;
}

/** One without an address only narrows the tools of the weaker entry: it must not take a server away unnoticed. */
function replaceEntry(weaker: MergedEntry, found: MergedEntry, warnings: string[]): MergedEntry {
  if (hasAddress(found.entry) || !hasAddress(weaker.entry)) return found;
  const { includeTools, excludeTools, ...rest } = found.entry;
  const unused = Object.keys(rest).join(', ');
  const place = found.locate?.(found.name) ?? found.file;
  const where = place === undefined ? '' : `${place}: `;
  if (unused !== '' || (includeTools ?? excludeTools) === undefined) {
    const what = unused === '' ? 'and has no effect' : `so ${unused} has no effect`;
    warnings.push(
      `${where}mcpServers.${found.name} has neither a command nor a url, ${what}: ${weaker.file ?? 'a weaker file'} describes this server.`,
    );
  }
  const included = intersect(weaker.entry.includeTools, includeTools);
  const entry = {
    ...weaker.entry,
    ...(included && { includeTools: included }),
    ...(excludeTools && { excludeTools: [...(weaker.entry.excludeTools ?? []), ...excludeTools] }),
  };
  return { ...weaker, entry };
}

function hasAddress({ command, url, httpUrl, tcp }: McpServerSettings): boolean {
  return [command, url, httpUrl, tcp].some((value) => value !== undefined);
}

function adjust(lower: MergedEntry, higher: MergedEntry): MergedEntry {
  const includeTools = intersect(lower.entry.includeTools, higher.entry.includeTools);
  const entry: McpServerSettings = {
    ...lower.entry,
    ...higher.entry,
    env: { ...lower.entry.env, ...higher.entry.env },
    excludeTools: [...(lower.entry.excludeTools ?? []), ...(higher.entry.excludeTools ?? [])],
    ...(includeTools && { includeTools }),
  };
  return { ...higher, owner: lower.owner, entry, written: merge(lower.written, higher.written) };
}

function merge(lower: unknown, higher: unknown): unknown {
  if (!isRecord(lower) || !isRecord(higher)) return higher ?? lower;
  const env = { ...(isRecord(lower['env']) && lower['env']), ...(isRecord(higher['env']) && higher['env']) };
  return { ...lower, ...higher, env };
}

/** No common tool means none. */
function intersect(lower?: readonly string[], higher?: readonly string[]): readonly string[] | undefined {
  return lower && higher ? higher.filter((tool) => lower.includes(tool)) : (higher ?? lower);
}

/** That of the strongest layer is the server `mcp`, and needs the same consent as an entry of its file. */
function addServerCommand(
  merged: Map<string, MergedEntry>,
  layers: readonly McpLayer[],
  admin: AdminServers,
  warnings: string[],
): void {
  const isRestricted = admin.enabled === false || Object.keys(admin.config ?? {}).length > 0;
  const layer = layers.findLast(({ serverCommand }) => serverCommand !== undefined);
  if (layer?.serverCommand === undefined || isRestricted) return;
  const { source, file, serverCommand } = layer;
  try {
    if (/[;&|<>()`\n]/.test(serverCommand)) throw new Error('it contains an operator of a shell');
    const [command, ...args] = splitCommand(serverCommand);
    const entry = { ...(command !== undefined && { command }), args };
    merged.set('mcp', { name: 'mcp', source, file, entry, written: { serverCommand } });
  } catch (error) {
    warnings.push(`mcp.serverCommand was ignored: ${getErrorMessage(error)}. Write a program and its arguments.`);
  }
}

function throughAdmin(
  merged: ReadonlyMap<string, MergedEntry>,
  { enabled = true, config = {}, requiredConfig = {} }: AdminServers,
  selection: ServerSelection,
): MergedEntry[] {
  const deny = (name: string, message: string) => selection.idle.push({ name, reason: 'blocked', message });
  if (!enabled) {
    for (const name of merged.keys()) deny(name, `The MCP server ${name} is blocked: the administrator disabled MCP.`);
    if (merged.size > 0) selection.warnings.push('The administrator disabled MCP: no server starts.');
    return [];
  }
  const isListed = Object.keys(config).length > 0;
  const allowed = new Map<string, MergedEntry>();
  for (const [name, found] of merged) {
    const rule = Object.hasOwn(config, name) ? fitEntry(name, { servers: config }, selection.warnings) : undefined;
    if (!isListed) allowed.set(name, found);
    else if (rule) allowed.set(name, { ...found, entry: underAdmin(found.entry, rule) });
    else deny(name, `The MCP server ${name} is blocked: the administrator's list does not contain it.`);
  }
  const missing = [...merged.keys()].filter((name) => !allowed.has(name)).join(', ');
  if (missing !== '')
    selection.warnings.push(`The administrator's list does not contain these MCP servers: ${missing}.`);
  for (const name of Object.keys(requiredConfig)) {
    const entry = fitEntry(name, { servers: requiredConfig }, selection.warnings);
    if (!entry) continue;
    const { command: _c, args: _a, env: _e, cwd: _d, ...remote } = entry;
    allowed.set(name, { name, source: 'system', entry: { trust: true, ...remote }, written: requiredConfig[name] });
  }
  return [...allowed.values()];
}

/** The administrator decides where the server is; the user's entry only describes it. */
function underAdmin(entry: McpServerSettings, rule: McpServerSettings): McpServerSettings {
  const {
    command: _c,
    args: _a,
    env: _e,
    cwd: _d,
    httpUrl: _h,
    tcp: _t,
    url: _u,
    type: _y,
    trust: _r,
    ...rest
  } = entry;
  const { url, type, trust, includeTools, excludeTools } = rule;
  const decides = (includeTools?.length ?? 0) > 0 || (excludeTools?.length ?? 0) > 0;
  const { includeTools: _i, excludeTools: _x, ...described } = rest;
  return {
    ...(decides ? described : rest),
    ...(decides && includeTools && { includeTools }),
    ...(decides && excludeTools && { excludeTools }),
    ...(url !== undefined && { url }),
    ...(type !== undefined && { type }),
    ...(trust !== undefined && { trust }),
  };
}

/** Names are compared without regard to case, as the lists of several layers are. */
function findObstacle(
  name: string,
  { allowed, excluded, named, disabled, admin = {} }: ServerRestrictions,
): Omit<IdleServer, 'name'> | undefined {
  const blocked = (why: string) =>
    ({ reason: 'blocked', message: `The MCP server ${name} is blocked: ${why}.` }) as const;
  if (admin.allowed !== undefined && !contains(admin.allowed, name))
    return blocked("the administrator's mcp.allowed does not name it");
  if (contains(admin.excluded ?? [], name)) return blocked("the administrator's mcp.excluded names it");
  if (named !== undefined) {
    if (!contains(named, name)) return blocked('the servers allowed in this run do not include it');
  } else {
    if (allowed !== undefined && !contains(allowed, name)) return blocked('mcp.allowed does not name it');
    if (contains(excluded ?? [], name)) return blocked('mcp.excluded names it');
  }
  return contains(disabled ?? [], name)
    ? { reason: 'disabled', message: `The MCP server ${name} is disabled.` }
    : undefined;
}

function contains(names: readonly string[], name: string): boolean {
  const wanted = name.toLowerCase();
  return names.some((each) => each.toLowerCase() === wanted);
}
