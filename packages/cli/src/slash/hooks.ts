import { getErrorMessage } from '@castor/core';
import { failure, info } from './command.ts';
import type { CommandContext, CommandResult, SlashCommand } from './command.ts';

const list: SlashCommand = {
  name: 'list',
  aliases: ['panel', 'show'],
  description: 'Lists the hooks of this folder and whether they run.',
  source: 'builtin',
  runsWhileBusy: true,
  runsHeadless: true,
  run: describe,
};

const enable: SlashCommand = {
  name: 'enable',
  description: 'Lets a hook run that was switched off.',
  source: 'builtin',
  usage: '<name>',
  run: (context, name) => switchOne(context, 'enable', name),
};

const disable: SlashCommand = {
  name: 'disable',
  description: 'Switches a hook off, by its name (or its command, if it has none).',
  source: 'builtin',
  usage: '<name>',
  run: (context, name) => switchOne(context, 'disable', name),
};

const enableAll: SlashCommand = {
  name: 'enable-all',
  description: 'Lets every hook run that was switched off.',
  source: 'builtin',
  run: (context) => switchHooks(context, 'enable', undefined),
};

const disableAll: SlashCommand = {
  name: 'disable-all',
  description: 'Switches every hook off.',
  source: 'builtin',
  run: (context) => switchHooks(context, 'disable', undefined),
};

export const hooks: SlashCommand = {
  name: 'hooks',
  description: 'Programs of yours that run at set moments.',
  source: 'builtin',
  runsWhileBusy: true,
  runsHeadless: true,
  subCommands: [list, enable, disable, enableAll, disableAll],
  run: describe,
};

async function describe({ agent, services }: CommandContext): Promise<CommandResult> {
  if (services?.describeHooks) return info(await services.describeHooks());
  return info(agent.hooks ? 'Hooks are configured; castor hooks list shows them.' : 'No hooks are configured.');
}

function switchOne(
  context: CommandContext,
  what: 'enable' | 'disable',
  name: string,
): CommandResult | Promise<CommandResult> {
  return name === ''
    ? failure(`Which hook? /hooks ${what} <name>; /hooks lists them.`)
    : switchHooks(context, what, name);
}

async function switchHooks(
  { services }: CommandContext,
  what: 'enable' | 'disable',
  name: string | undefined,
): Promise<CommandResult> {
  if (!services?.switchHooks) return failure('Hooks cannot be switched here. Outside: castor hooks --help');
  try {
    return info(await services.switchHooks(what, name));
  } catch (error) {
    return failure(getErrorMessage(error));
  }
}
