/** `castor mcp enable` and `disable`: the servers the user has switched off, in the file that Gemini CLI shares. */

import { writeServerEnabled } from '@castor/core/program';
import { ExitCode } from '../exit-codes.ts';
import { findServers } from './find-servers.ts';
import type { SubcommandContext } from './subcommand-context.ts';

export async function switchServer(name: string, isEnabled: boolean, context: SubcommandContext): Promise<ExitCode> {
  const { output, home } = context;
  const { servers, idle, layers } = await findServers(context);
  const wanted = name.toLowerCase();
  const configured = [
    ...servers,
    ...idle,
    ...layers.flatMap((layer) => Object.keys(layer.servers).map((each) => ({ name: each }))),
  ];
  const found = configured.find((each) => each.name.toLowerCase() === wanted)?.name;
  if (found === undefined) {
    output.note(`Error: Server '${name}' not found. Use 'castor mcp list' to see available servers.`);
    return ExitCode.Failure;
  }
  writeServerEnabled(home, found, isEnabled);
  await output.answer(`✓ MCP server '${found}' ${isEnabled ? 'enabled' : 'disabled'}.\n`);
  const other = isEnabled ? (await findServers(context)).idle.find((each) => each.name === found) : undefined;
  if (other) output.note(`castor: ${other.message}`);
  return ExitCode.Success;
}
