/** The names of --allowed-mcp-server-names against the configured MCP servers. */

import { toMcpLayers } from '@castor/core/program';
import { ExitCode, ExitError } from '../exit-codes.ts';
import type { Start } from './start.ts';

/** The word that allows no server, like an empty name. */
const NONE = 'none';

/**
 * A warning for each unknown name. Throws an ExitError where no server is configured at all: the flag would have no
 * effect. An editor brings servers of its own, so that its names are not checked.
 */
export function checkServerNames({ args, configuration, extensions, trustedFolder }: Start): string[] {
  const { allowedMcpServerNames: named = [], acp, experimentalAcp } = args;
  const wanted = named.filter((name) => name !== '' && name !== NONE);
  if (wanted.length === 0 || acp || experimentalAcp) return [];
  const known = new Set([
    ...toMcpLayers(configuration.layers).flatMap(({ servers }) => Object.keys(servers)),
    ...(extensions?.extensions ?? []).flatMap(({ manifest }) => Object.keys(manifest.mcpServers)),
  ]);
  const unknown = wanted.filter((name) => !known.has(name));
  if (unknown.length === 0) return [];
  const untrusted = trustedFolder === true ? '' : ' The servers of this folder count once it is trusted.';
  const sentence = `--allowed-mcp-server-names: no MCP server is called ${unknown.join(', ')}.`;
  if (known.size === 0) {
    throw new ExitError(ExitCode.Input, `${sentence} None is configured; castor mcp add adds one.${untrusted}`);
  }
  return [`${sentence} Configured: ${[...known].join(', ')}.${untrusted}`];
}
