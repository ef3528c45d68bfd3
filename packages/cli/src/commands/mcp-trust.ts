/** `castor mcp trust`: records the consent to the MCP servers of this project as they are now. It starts nothing. */

import { consentToServers, describeServer, serversOfProject, toMcpLayers } from '@castor/core/program';
import { ExitCode, ExitError } from '../exit-codes.ts';
import { makeVisibleLine } from '../make-visible.ts';
import { USER_HINTS } from '../start/user-hints.ts';
import { findServers } from './find-servers.ts';
import type { SubcommandContext } from './subcommand-context.ts';

/** Without names: all servers of the project. */
export async function trustServers(names: readonly string[], context: SubcommandContext): Promise<ExitCode> {
  const { output, cwd: root, home } = context;
  const { loaded } = await findServers(context);
  if (loaded.trust.trusted !== true) {
    output.note(`castor: this folder is not trusted, so none of its MCP servers start. ${USER_HINTS.startServers}`);
    return ExitCode.Untrusted;
  }
  const ofProject = serversOfProject(toMcpLayers(loaded.configuration.layers));
  const missing = names.find((name) => ofProject.every((server) => server.name !== name));
  if (missing !== undefined) {
    const known = ofProject.map(({ name }) => name).join(', ') || 'none';
    throw new ExitError(
      ExitCode.Failure,
      `This project has no MCP server ${JSON.stringify(missing)}. It has: ${known}.`,
    );
  }
  const agreed = names.length === 0 ? ofProject : ofProject.filter(({ name }) => names.includes(name));
  consentToServers({ root, home }, agreed, { only: names.length === 0 });
  const lines = agreed.map((server) => `  ${makeVisibleLine(describeServer(server))}`);
  await output.answer(
    lines.length === 0
      ? 'This project has no MCP servers. Servers added later need another consent.\n'
      : `Castor now starts these MCP servers in their current form:\n${lines.join('\n')}\n`,
  );
  return ExitCode.Success;
}
