/** Chooses the MCP servers that a session in this folder would start, outside a session. It starts and records nothing. */

import { chooseServers, readMcpManifests, toMcpLayers } from '@castor/core/program';
import type { ChosenServers, McpLayer, SourceValues } from '@castor/core/program';
import { isTrustedForRun, toServerRestrictions } from './agent-options.ts';
import type { LoadedConfiguration, StartContext } from './start.ts';
import { USER_HINTS } from './user-hints.ts';

/** `values`: those of the settings of extensions, for a caller that shows or starts the servers. */
export function chooseStartServers(
  { args, cwd: root, home, environment }: Pick<StartContext, 'args' | 'cwd' | 'home' | 'environment'>,
  { configuration, sources, trust }: Pick<LoadedConfiguration, 'configuration' | 'sources' | 'trust'>,
  disabled: readonly string[],
  values?: SourceValues,
): ChosenServers & { layers: McpLayer[] } {
  const manifests = readMcpManifests({ sources, root, environment: configuration.environment, values });
  const layers = [...manifests, ...toMcpLayers(configuration.layers)];
  const chosen = chooseServers(layers, disabled, {
    home,
    root,
    restrictions: toServerRestrictions(args, configuration),
    trustedFolder: trust.trusted,
    isTrustedForRun: isTrustedForRun(args, environment),
    hint: USER_HINTS.trustServers,
    trustHint: USER_HINTS.startServers,
  });
  return { ...chosen, layers };
}
