/** Finds the MCP servers of a folder and decides which a session there would start. It starts and records nothing. */

import { readDisabledServers } from '@castor/core/program';
import type { ChosenServers, McpLayer } from '@castor/core/program';
import { createOpenKeyring } from '../mcp-keyring.ts';
import { findInstalledExtensions } from '../start/installed-extensions.ts';
import { chooseStartServers } from '../start/start-servers.ts';
import { loadTrustedConfiguration } from '../start/start.ts';
import type { LoadedConfiguration } from '../start/start.ts';
import { findUnknownSettings } from '../start/unknown-settings.ts';
import { USER_HINTS } from '../start/user-hints.ts';
import type { SubcommandContext } from './subcommand-context.ts';

declare const CASTOR_VERSION: string;

type Folder = Pick<SubcommandContext, 'cwd' | 'home' | 'environment'>;

export interface FoundServers extends ChosenServers {
  loaded: LoadedConfiguration;
  layers: readonly McpLayer[];
}

/** Throws an ExitError for invalid settings, and a SettingsError for an unreadable file of disabled servers. */
export async function findServers(folder: Folder, known?: LoadedConfiguration): Promise<FoundServers> {
  const loaded = known ?? (await load(folder));
  const { trust, extensions, configuration } = loaded;
  const problems: string[] = [];
  const values = await extensions?.readValues({
    ...folder,
    environment: configuration.environment,
    trustedFolder: trust.trusted,
    onProblem: (problem) => problems.push(problem),
  });
  const disabled = readDisabledServers(folder.home);
  const chosen = chooseStartServers({ ...folder, args: {} }, loaded, disabled, values?.sourceValues);
  return { ...chosen, warnings: [...chosen.warnings, ...problems], loaded };
}

/** Keys beside `mcpServers` and below `mcp` that were probably meant for one of them. */
function unknownMcpSettings(configuration: LoadedConfiguration['configuration']): string[] {
  return findUnknownSettings(configuration).flatMap(({ key, place, meant }) => {
    const isNear = /^mcp/i.test(key) || /^mcp/i.test(meant ?? '');
    const hint = meant === undefined ? '' : ` Did you mean ${meant}?`;
    return isNear ? [`${place}: ${key} is unknown and has no effect.${hint}`] : [];
  });
}

/** Tells what is wrong in the settings before servers are shown or tried. */
export function noteWarnings(
  { warnings, loaded: { configuration } }: FoundServers,
  { output }: SubcommandContext,
): void {
  const sentences = [...configuration.warnings, ...unknownMcpSettings(configuration), ...warnings];
  for (const sentence of sentences) output.note(`castor: ${sentence}`);
}

async function load({ cwd, home, environment }: Folder): Promise<LoadedConfiguration> {
  const installed = await findInstalledExtensions({ cwd, home });
  return loadTrustedConfiguration({ args: {}, cwd, home, environment, installed });
}

/** What connecting to a server needs, outside an agent. */
export function connectionOptions(
  { cwd: root, home, signal = new AbortController().signal }: SubcommandContext,
  { loaded: { configuration } }: Pick<FoundServers, 'loaded'>,
) {
  const { environment, settings } = configuration;
  return {
    root,
    home,
    environment,
    redaction: settings.security.environmentVariableRedaction,
    openKeyring: createOpenKeyring(environment),
    clientVersion: CASTOR_VERSION,
    signInHint: (name: string) => USER_HINTS.signIn(name),
    signal,
  };
}
