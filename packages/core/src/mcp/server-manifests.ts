/** Reads the MCP servers of extensions from their manifests, with paths and variables in place. */

import { sep } from 'node:path';
import { expandVariables } from '../config/expand-variables.ts';
import { SettingsError } from '../config/settings-error.ts';
import { readSourceFile } from '../config/source-file.ts';
import type { Source } from '../protocol/source.ts';
import { findPlaces } from '../util/find-places.ts';
import { isRecord } from '../util/is-record.ts';
import type { McpLayer } from './server-layer.ts';

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

function replacePaths(value: unknown, paths: Readonly<Record<string, string>>): unknown {
  if (typeof value === 'string') {
    return value.replaceAll(/\$\{(extensionPath|workspacePath|\/|pathSeparator)\}/g, (_, name: string) => paths[name]!);
  }
  if (Array.isArray(value)) return value.map((item: unknown) => replacePaths(item, paths));
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, replacePaths(item, paths)]));
}

/** An extension may neither lift the approval of its own tools nor spend the user's budget. */
function withoutTrust(servers: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(servers).map(([name, entry]) => {
      if (!isRecord(entry)) return [name, entry];
      const { trust: _trust, sampling: _sampling, ...rest } = entry;
      return [name, rest];
    }),
  );
}
