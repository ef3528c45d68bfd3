/**
 * Collects the layers of MCP servers: from the layers of settings, and from the manifests of extensions. All that a
 * start needs to know whether a server is configured.
 */

import { sep } from 'node:path';
import { expandVariables } from '../config/expand-variables.ts';
import { SettingsError } from '../config/settings-error.ts';
import type { SettingsLayer, SettingsScope } from '../config/settings-layer.ts';
import { readSourceFile } from '../config/source-file.ts';
import type { Source, SourceKind } from '../protocol/source.ts';
import { findPlaces } from '../util/find-places.ts';
import { isRecord } from '../util/is-record.ts';

export interface McpLayer {
  readonly source: SourceKind;
  /** The name of an extension. */
  readonly owner?: string;
  /** Named in messages about the layer. */
  readonly file?: string | undefined;
  /** By name, with variables expanded. */
  readonly servers: Readonly<Record<string, unknown>>;
  /** As written: it tells which references stayed unexpanded. */
  readonly written: Readonly<Record<string, unknown>>;
  /** Why the file could not be read. */
  readonly problem?: string;
}

const KINDS: Readonly<Partial<Record<SettingsScope, SourceKind>>> = {
  systemDefaults: 'system',
  user: 'user',
  workspace: 'project',
  system: 'system',
};

/** In the order of the layers: the last is the strongest. */
export function toMcpLayers(layers: readonly Pick<SettingsLayer, 'scope' | 'path' | 'raw' | 'values'>[]): McpLayer[] {
  return layers.flatMap(({ scope, path, raw, values }) => {
    const source = KINDS[scope];
    const servers = values['mcpServers'];
    const written = raw['mcpServers'];
    if (source === undefined || !isRecord(servers) || Object.keys(servers).length === 0) return [];
    return [{ source, file: path, servers, written: isRecord(written) ? written : {} }];
  });
}

export interface ManifestOptions {
  sources: readonly Source[];
  /** The folder the agent works in. */
  root: string;
  environment: Readonly<Record<string, string | undefined>>;
}

/** The servers of extensions; an unreadable manifest becomes a layer with a `problem`. */
export function readMcpManifests({ sources, root, environment }: ManifestOptions): McpLayer[] {
  return findPlaces(sources, 'servers').flatMap(({ source, path: file }): McpLayer[] => {
    const layer = { source: source.kind, owner: source.name, file };
    try {
      const written = readSourceFile(file)?.['mcpServers'];
      if (!isRecord(written) || Object.keys(written).length === 0) return [];
      const paths = { extensionPath: source.directory, workspacePath: root, '/': sep, pathSeparator: sep };
      const placed = replacePaths(written, paths) as Record<string, unknown>;
      const servers = withoutTrust(expandVariables(placed, { path: file, environment }));
      return [{ ...layer, servers, written: placed }];
    } catch (error) {
      if (!(error instanceof SettingsError)) throw error;
      return [{ ...layer, servers: {}, written: {}, problem: `${error.message} Castor starts none of its servers.` }];
    }
  });
}

/** Whether a layer has servers or problems: without any, the room of MCP is not loaded. */
export function hasMcpServers(layers: readonly McpLayer[]): boolean {
  return layers.some(({ servers, problem }) => problem !== undefined || Object.keys(servers).length > 0);
}

function replacePaths(value: unknown, paths: Readonly<Record<string, string>>): unknown {
  if (typeof value === 'string') {
    return value.replaceAll(/\$\{(extensionPath|workspacePath|\/|pathSeparator)\}/g, (_, name: string) => paths[name]!);
  }
  if (Array.isArray(value)) return value.map((item: unknown) => replacePaths(item, paths));
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, replacePaths(item, paths)]));
}

/** An extension may not lift the approval of its own tools. */
function withoutTrust(servers: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(servers).map(([name, entry]) => {
      if (!isRecord(entry)) return [name, entry];
      const { trust: _trust, ...rest } = entry;
      return [name, rest];
    }),
  );
}
