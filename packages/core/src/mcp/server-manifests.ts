/** Reads the MCP servers of extensions from their manifests, with paths and variables in place. */

import { expandVariables } from '../config/expand-variables.ts';
import { replacePathVariables } from '../config/path-variables.ts';
import { SettingsError } from '../config/settings-error.ts';
import { readSourceFile } from '../config/source-file.ts';
import type { Source, SourceValues } from '../protocol/source.ts';
import { findPlaces } from '../util/find-places.ts';
import { isRecord } from '../util/is-record.ts';
import type { McpLayer } from './server-layer.ts';

export interface ManifestOptions {
  sources: readonly Source[];
  /** The folder the agent works in. */
  root: string;
  environment: Readonly<Record<string, string | undefined>>;
  /** The values of settings, by the name of their source. */
  values?: SourceValues | undefined;
}

/** The servers of extensions; an unreadable manifest becomes a layer with a `problem`. */
export function readMcpManifests({ sources, root, environment, values = {} }: ManifestOptions): McpLayer[] {
  return findPlaces(sources, 'servers').flatMap(({ source, path: file }): McpLayer[] => {
    const layer = { source: source.kind, owner: source.name, file };
    try {
      const written = readSourceFile(file)?.['mcpServers'];
      if (written === undefined) return [];
      if (!isRecord(written))
        throw new SettingsError(`${file}: mcpServers: expected an object, { … }.`, { path: file });
      if (Object.keys(written).length === 0) return [];
      const paths = { extensionPath: source.directory, workspacePath: root };
      const placed = replacePathVariables(written, paths);
      const servers = ofExtension(placed, { path: file, environment, values: values[source.name] });
      return [{ ...layer, servers, written: placed }];
    } catch (error) {
      if (!(error instanceof SettingsError)) throw error;
      return [{ ...layer, servers: {}, written: {}, problem: `${error.message} Castor starts none of its servers.` }];
    }
  });
}

/** Servers of an extension, in its manifest or in an agent of it. */
export function ofExtension(
  written: Readonly<Record<string, unknown>>,
  place: Pick<ManifestOptions, 'environment'> & { path: string; values?: Readonly<Record<string, string>> | undefined },
): Record<string, unknown> {
  const { path, environment, values = {} } = place;
  return toPermitted(expandVariables(written, { path, environment: { ...environment, ...values } }), values);
}

/** An extension may neither lift the approval of its own tools nor spend the user's budget. Its programs receive the values of its settings. */
function toPermitted(
  servers: Record<string, unknown>,
  values: Readonly<Record<string, string>>,
): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(servers).map(([name, entry]) => {
      if (!isRecord(entry)) return [name, entry];
      const { trust: _trust, sampling: _sampling, ...rest } = entry;
      const hasValues = rest['command'] !== undefined && Object.keys(values).length > 0;
      return [name, hasValues ? { ...rest, env: { ...values, ...(isRecord(rest['env']) && rest['env']) } } : rest];
    }),
  );
}
