/**
 * Finds what the settings allow tools of MCP servers without a question, by the file that says so: a project may restrict the
 * servers of the user, and lifts no question about them. Reads no files.
 */

import { isRecord } from '@castor/core/program';
import type { Settings, SettingsLayer } from '@castor/core/program';

export type GrantLayer = Pick<SettingsLayer, 'scope' | 'values'>;

export interface ServerGrants {
  /** Names in `mcp.allowed` that the user or the administrator wrote. */
  mcpAllowed: string[];
  /** Servers with `trust`. */
  mcpTrusted: string[];
  /** Those of them that a project's file trusts: its own servers, once the user has consented. */
  mcpTrustedByProject: string[];
}

export function findServerGrants({ mcp, admin }: Settings, layers: readonly GrantLayer[]): ServerGrants {
  const own = layers.filter(({ scope }) => scope !== 'workspace');
  const written = new Set(own.flatMap(({ values }) => namesIn(valueOf(values, 'mcp', 'allowed'))));
  const trusted = trustedServers(layers, admin.mcp);
  return {
    mcpAllowed: (mcp.allowed ?? []).filter((name) => written.has(name.toLowerCase())),
    mcpTrusted: trusted.filter(({ scope }) => scope !== 'workspace').map(({ name }) => name),
    mcpTrustedByProject: trusted.filter(({ scope }) => scope === 'workspace').map(({ name }) => name),
  };
}

/** Whether the list in effect is that of the project's file. */
export function isOfProject(layers: readonly GrantLayer[], group: string, key: string): boolean {
  return layers.findLast(({ values }) => valueOf(values, group, key) !== undefined)?.scope === 'workspace';
}

interface Trusted {
  name: string;
  scope: GrantLayer['scope'];
}

/** Where the administrator lists servers, only the administrator trusts them; required ones are trusted unless said otherwise. */
function trustedServers(
  layers: readonly GrantLayer[],
  { config, requiredConfig }: Settings['admin']['mcp'],
): Trusted[] {
  const ofAdmin = (entries: object, byDefault: boolean) =>
    Object.entries(entries).flatMap(([name, entry]: [string, unknown]): Trusted[] =>
      isRecord(entry) && (entry['trust'] ?? byDefault) === true ? [{ name, scope: 'system' }] : [],
    );
  const isRequired = ({ name }: Trusted) => Object.hasOwn(requiredConfig, name);
  const listed = Object.keys(config).length > 0 ? ofAdmin(config, false) : inEffect(layers);
  return [...listed.filter((each) => !isRequired(each)), ...ofAdmin(requiredConfig, true)];
}

/** An entry without an address replaces none that has one. */
function inEffect(layers: readonly GrantLayer[]): Trusted[] {
  const found = new Map<string, { entry: Record<string, unknown>; scope: GrantLayer['scope'] }>();
  for (const { scope, values } of layers) {
    const servers = values['mcpServers'];
    for (const [name, entry] of Object.entries(isRecord(servers) ? servers : {})) {
      const former = found.get(name);
      if (isRecord(entry) && (!former || hasAddress(entry) || !hasAddress(former.entry)))
        found.set(name, { entry, scope });
    }
  }
  return [...found].flatMap(([name, { entry, scope }]) => (entry['trust'] === true ? [{ name, scope }] : []));
}

function hasAddress(entry: Record<string, unknown>): boolean {
  return ['command', 'url', 'httpUrl', 'tcp'].some((key) => entry[key] !== undefined);
}

function valueOf(values: Readonly<Record<string, unknown>>, group: string, key: string): unknown {
  const found = values[group];
  return isRecord(found) ? found[key] : undefined;
}

function namesIn(value: unknown): string[] {
  return Array.isArray(value)
    ? value.flatMap((name: unknown) => (typeof name === 'string' ? [name.toLowerCase()] : []))
    : [];
}
