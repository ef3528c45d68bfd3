import { getErrorMessage } from '@castor/core';
import { failure, info } from './command.ts';
import type { CommandContext, CommandResult, SlashCommand } from './command.ts';

const list: SlashCommand = {
  name: 'list',
  aliases: ['panel', 'show'],
  description: 'Lists the hooks of this folder and their state.',
  source: 'builtin',
  runsWhileBusy: true,
  runsHeadless: true,
  run: describe,
};

const enable: SlashCommand = {
  name: 'enable',
  description: 'Enables a disabled hook.',
  source: 'builtin',
  usage: '<name>',
  run: (context, name) => switchOne(context, 'enable', name),
};

const disable: SlashCommand = {
  name: 'disable',
  description: 'Disables a hook by its name (or its command, if it has none).',
  source: 'builtin',
  usage: '<name>',
  run: (context, name) => switchOne(context, 'disable', name),
};

const enableAll: SlashCommand = {
  name: 'enable-all',
  description: 'Enables all hooks.',
  source: 'builtin',
  run: (context) => switchHooks(context, 'enable', undefined),
};

const disableAll: SlashCommand = {
  name: 'disable-all',
  description: 'Disables all hooks.',
  source: 'builtin',
  run: (context) => switchHooks(context, 'disable', undefined),
};

export const hooks: SlashCommand = {
  name: 'hooks',
  description: 'Lists, enables and disables hooks.',
  source: 'builtin',
  runsWhileBusy: true,
  runsHeadless: true,
  subCommands: [list, enable, disable, enableAll, disableAll],
  run: describe,
};

async function describe({ agent, services }: CommandContext): Promise<CommandResult> {
  if (services?.describeHooks) return info(await services.describeHooks());
  return info(agent.hooks ? 'Hooks are configured. To list them: castor hooks list' : 'No hooks are configured.');
}

function switchOne(
  context: CommandContext,
  what: 'enable' | 'disable',
  name: string,
): CommandResult | Promise<CommandResult> {
  return name === ''
    ? failure(`Missing name: /hooks ${what} <name>. /hooks lists the hooks.`)
    : switchHooks(context, what, name);
}

async function switchHooks(
  { services }: CommandContext,
  what: 'enable' | 'disable',
  name: string | undefined,
): Promise<CommandResult> {
  if (!services?.switchHooks) return failure('Hooks cannot be changed here. Use castor hooks --help');
  try {
    return info(await services.switchHooks(what, name));
  } catch (error) {
    return failure(getErrorMessage(error));
  }
}
