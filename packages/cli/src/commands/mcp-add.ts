/** `castor mcp add` and `remove`: write the entry of a server into a settings file; the rest of the file stays. */

import { realpathSync } from 'node:fs';
import {
  consentToServers,
  isRecord,
  readSourceFile,
  saveSetting,
  serversOfProject,
  toMcpLayers,
  userSettingsPath,
  workspaceSettingsPath,
} from '@castor/core/program';
import { ExitCode, ExitError } from '../exit-codes.ts';
import { loadTrustedConfiguration } from '../start/start.ts';
import { readAddWords } from './mcp-add-words.ts';
import type { AddedServer, McpScope } from './mcp-add-words.ts';
import type { SubcommandContext } from './subcommand-context.ts';

export async function addServer(argv: readonly string[], context: SubcommandContext): Promise<ExitCode> {
  const { output } = context;
  const words = readAddWords(argv);
  if (typeof words === 'string') throw new ExitError(ExitCode.Failure, `${words} See: castor mcp add --help`);
  const { name, scope, transport } = words;
  const path = fileOf(scope, context);
  const isThere = serversIn(path).includes(name);
  if (isThere) await output.answer(`MCP server "${name}" is already configured within ${scope} settings.\n`);
  saveSetting(path, ['mcpServers', name], entryOf(words));
  await output.answer(
    isThere
      ? `MCP server "${name}" updated in ${scope} settings.\n`
      : `MCP server "${name}" added to ${scope} settings. (${transport})\n`,
  );
  if (scope === 'project') noteTrust(name, context);
  return ExitCode.Success;
}

export async function removeServer(name: string, scope: McpScope, context: SubcommandContext): Promise<ExitCode> {
  const path = fileOf(scope, context);
  if (serversIn(path).includes(name)) {
    saveSetting(path, ['mcpServers', name], undefined);
    await context.output.answer(`Server "${name}" removed from ${scope} settings.\n`);
    return ExitCode.Success;
  }
  const other = scope === 'user' ? 'project' : 'user';
  const hint = isIn(other, name, context) ? ` It is in ${other} settings: castor mcp remove -s ${other} ${name}` : '';
  context.output.note(`castor: Server "${name}" not found in ${scope} settings.${hint}`);
  return ExitCode.Failure;
}

/** An unreadable file is not searched. */
function isIn(scope: McpScope, name: string, { cwd, home }: SubcommandContext): boolean {
  try {
    return serversIn(scope === 'user' ? userSettingsPath(home) : workspaceSettingsPath(cwd)).includes(name);
  } catch {
    return false;
  }
}

function fileOf(scope: McpScope, { cwd, home }: SubcommandContext): string {
  if (scope === 'user') return userSettingsPath(home);
  const real = (path: string) => {
    try {
      return realpathSync(path);
    } catch {
      // A home that does not exist yet is not a project.
      return path;
    }
  };
  if (real(cwd) === real(home)) {
    throw new ExitError(ExitCode.Failure, 'Please use --scope user to edit settings in the home directory.');
  }
  return workspaceSettingsPath(cwd);
}

function serversIn(path: string): string[] {
  const servers = readSourceFile(path)?.['mcpServers'];
  return isRecord(servers) ? Object.keys(servers) : [];
}

function entryOf({ transport, target, args, env, headers, ...rest }: AddedServer): Record<string, unknown> {
  const { timeout, trust, description, includeTools, excludeTools } = rest;
  const address =
    transport === 'stdio'
      ? { command: target, ...(args.length > 0 && { args }), ...(Object.keys(env).length > 0 && { env }) }
      : { url: target, type: transport, ...(Object.keys(headers).length > 0 && { headers }) };
  return {
    ...address,
    ...(timeout !== undefined && { timeout }),
    ...(trust !== undefined && { trust }),
    ...(description !== undefined && { description }),
    ...(includeTools.length > 0 && { includeTools }),
    ...(excludeTools.length > 0 && { excludeTools }),
  };
}

/** The user wrote this entry: in a trusted folder it needs no further consent. */
function noteTrust(name: string, { cwd, home, environment, output }: SubcommandContext): void {
  const { configuration, trust } = loadTrustedConfiguration({ args: {}, cwd, home, environment, installed: undefined });
  if (trust.trusted === true) {
    const added = serversOfProject(toMcpLayers(configuration.layers)).filter((server) => server.name === name);
    consentToServers({ root: cwd, home }, added);
    return;
  }
  output.note(
    `castor: ${cwd} is not trusted, so the server does not start here. Trust the folder with /permissions trust.`,
  );
}
