/** Collects the layers of MCP servers from the layers of settings. All that a start without servers needs of MCP. */

import type { SettingsLayer, SettingsScope } from '../config/settings-layer.ts';
import { readSourceFile } from '../config/source-file.ts';
import type { SourceKind } from '../protocol/source.ts';
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
  /** `mcp.serverCommand`: the command line of a server of the name `mcp`, with variables expanded. */
  readonly serverCommand?: string | undefined;
  /** Names in the file of a folder that is not trusted: nothing else of it counts, and they are told. */
  readonly withheld?: readonly string[];
  /** `file:line` of a key such as `name.args`. */
  readonly locate?: ((key: string) => string | undefined) | undefined;
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
export function toMcpLayers(
  layers: readonly Pick<SettingsLayer, 'scope' | 'path' | 'status' | 'raw' | 'values' | 'locate'>[],
): McpLayer[] {
  return layers.flatMap(({ scope, path, status, raw, values, locate }) => {
    const source = KINDS[scope];
    if (scope === 'workspace' && status === 'skipped' && path !== undefined) return withheldLayer(path);
    const servers = recordOf(values['mcpServers']);
    const { serverCommand } = recordOf(values['mcp']);
    const hasCommand = typeof serverCommand === 'string' && serverCommand.trim() !== '';
    if (source === undefined || (Object.keys(servers).length === 0 && !hasCommand)) return [];
    const written = recordOf(raw['mcpServers']);
    const place = { source, file: path, locate: (key: string) => locate(`mcpServers.${key}`) };
    return [{ ...place, servers, written, ...(hasCommand && { serverCommand }) }];
  });
}

/** Whether a layer has servers or problems: without any, the room of MCP is not loaded. */
export function hasMcpServers(layers: readonly McpLayer[]): boolean {
  return layers.some(
    ({ servers, serverCommand, withheld, problem }) =>
      problem !== undefined || serverCommand !== undefined || Boolean(withheld) || Object.keys(servers).length > 0,
  );
}

/** The file of a folder that is not trusted may be anything. */
function withheldLayer(path: string): McpLayer[] {
  try {
    const { mcpServers, mcp } = readSourceFile(path) ?? {};
    const withheld = [...Object.keys(recordOf(mcpServers)), ...(recordOf(mcp)['serverCommand'] ? ['mcp'] : [])];
    return withheld.length === 0 ? [] : [{ source: 'project', file: path, servers: {}, written: {}, withheld }];
  } catch {
    // `castor doctor` says that the file is left out.
    return [];
  }
}

function recordOf(value: unknown): Record<string, unknown> {
  return isRecord(value) ? value : {};
}
