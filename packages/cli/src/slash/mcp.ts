/** `/mcp`: shows the MCP servers of the session, switches them on and off, reconnects and signs in to them. */

import { getErrorMessage } from '@castor/core';
import { failure, info } from './command.ts';
import type { CommandContext, CommandResult, NameContext, SlashCommand } from './command.ts';
import type { PageDetail } from './mcp-page.ts';

type Servers = NonNullable<CommandContext['agent']['servers']>;

const names = ({ agent }: NameContext) => agent.servers?.states.map(({ name }) => name) ?? [];

const NONE = 'No MCP servers configured. docs/mcp.md describes the settings; castor mcp add adds one.';

function showing(name: string, aliases: readonly string[], detail: PageDetail, description: string): SlashCommand {
  return {
    name,
    aliases,
    description,
    source: 'builtin',
    usage: '[name]',
    runsHeadless: true,
    runsWhileBusy: true,
    names,
    run: (context, filter) => show(context, filter, detail),
  };
}

const auth: SlashCommand = {
  name: 'auth',
  description: 'Signs in to a server; without a name lists the servers and their sign-ins.',
  source: 'builtin',
  usage: '[name]',
  names,
  run: (context, name) => withServers(context, (servers) => signIn(context, servers, name)),
};

const reload: SlashCommand = {
  name: 'reload',
  aliases: ['refresh'],
  description: 'Reads the settings again and connects again to one server or all.',
  source: 'builtin',
  usage: '[name]',
  runsHeadless: true,
  names,
  run: (context, name) =>
    withServers(context, async (servers) => {
      const known = name === '' ? undefined : findName(servers, name);
      if (name !== '' && known === undefined) return unknown(name);
      await servers.reload(known);
      return show(context, known ?? '', 'names');
    }),
};

const trust: SlashCommand = {
  name: 'trust',
  description: 'Shows new and changed servers of the project, and starts them if you agree.',
  source: 'builtin',
  run: (context) => withServers(context, async () => ({ type: 'open_dialog', dialog: 'servers' })),
};

export const mcp: SlashCommand = {
  name: 'mcp',
  description: 'Shows and manages MCP servers.',
  source: 'builtin',
  usage: '[name]',
  runsHeadless: true,
  runsWhileBusy: true,
  subCommands: [
    showing('list', ['ls', 'nodesc', 'nodescription'], 'names', 'Lists the servers with their state.'),
    showing('desc', ['description'], 'descriptions', 'Lists the servers with the descriptions of their tools.'),
    showing('schema', [], 'schemas', 'Lists the servers with the schemas of their tools.'),
    auth,
    reload,
    trust,
    switching('enable', 'Enables a server; --session only for this session.'),
    switching('disable', 'Disables a server; --session only for this session.'),
  ],
  run: (context, filter) => (filter === '' ? showStates(context) : show(context, filter, 'names')),
};

async function show(context: CommandContext, filter: string, detail: PageDetail): Promise<CommandResult> {
  return withServers(context, async (servers) => {
    // A run without a screen prints the page once.
    if (!context.hasScreen) await servers.settle(context.signal);
    const { describeServers } = await import('./mcp-page.ts');
    const signIns = await servers.listSignIns().catch(() => []);
    return info(describeServers(servers, { tools: context.agent.tools.list(), signIns, filter, detail }));
  });
}

async function showStates(context: CommandContext): Promise<CommandResult> {
  return withServers(context, async (servers) => {
    if (!context.hasScreen) await servers.settle(context.signal);
    const { describeStates } = await import('./mcp-page.ts');
    return info(describeStates(servers, { tools: context.agent.tools.list() }));
  });
}

function switching(name: 'enable' | 'disable', description: string): SlashCommand {
  return {
    name,
    description,
    source: 'builtin',
    usage: '<name> [--session]',
    names,
    run: (context, args) => withServers(context, (servers) => switchServer(servers, name, args)),
  };
}

async function switchServer(servers: Servers, what: 'enable' | 'disable', args: string): Promise<CommandResult> {
  const words = args.split(/\s+/).filter((word) => word !== '');
  const session = words.includes('--session');
  const wanted = words.filter((word) => word !== '--session').join(' ');
  if (wanted === '') return failure(`Server name required. Usage: /mcp ${what} <server-name> [--session]`);
  const name = findName(servers, wanted);
  if (name === undefined) return unknown(wanted);
  await servers.switch(name, what === 'enable', { session });
  const state = servers.states.find((each) => each.name === name);
  const done = `MCP server '${name}' ${what}d${session ? ' for this session' : ''}.`;
  if (what === 'enable' && state?.status === 'connecting') return info(`${done} It is connecting.`);
  const isBlocked = what === 'enable' && state?.status !== 'ready' && state?.lastError !== undefined;
  return isBlocked ? failure(`${done} ${state.lastError}`) : info(done);
}

async function signIn({ services, signal }: CommandContext, servers: Servers, name: string): Promise<CommandResult> {
  if (name === '') {
    const { describeSignIns } = await import('./mcp-page.ts');
    return info(describeSignIns(await servers.listSignIns()));
  }
  const known = findName(servers, name);
  if (known === undefined) return unknown(name);
  const ports = services?.signInPorts?.(signal);
  if (!ports) return failure(`Signing in needs a terminal. Use castor mcp login ${known}`);
  try {
    await servers.signIn(known, ports);
  } catch (error) {
    if (signal.aborted) throw error;
    return failure(`Failed to authenticate with MCP server '${known}': ${getErrorMessage(error)}`);
  }
  return info(`Successfully authenticated and reloaded tools for '${known}'`);
}

async function withServers(
  { agent }: CommandContext,
  run: (servers: Servers) => Promise<CommandResult>,
): Promise<CommandResult> {
  if (!agent.servers) return info(NONE);
  try {
    return await run(agent.servers);
  } catch (error) {
    return failure(getErrorMessage(error));
  }
}

/** Names are compared without regard to case, as in the settings. */
function findName(servers: Servers, wanted: string): string | undefined {
  const names = servers.states.map(({ name }) => name);
  return names.find((name) => name === wanted) ?? names.find((name) => name.toLowerCase() === wanted.toLowerCase());
}

function unknown(name: string): CommandResult {
  return failure(`Server '${name}' not found. Use /mcp list to see available servers.`);
}
