import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { getErrorMessage } from '@castor/core';
import { failure, info } from './command.ts';
import type { CommandContext, CommandResult, ExtensionService, NameContext, SlashCommand } from './command.ts';

/** Their folders: a list for every key reads no manifest. */
async function names({ home }: NameContext): Promise<string[]> {
  const entries = await readdir(join(home, '.gemini', 'extensions'), { withFileTypes: true }).catch(() => []);
  return entries.filter((entry) => entry.isDirectory() && !entry.name.startsWith('.')).map(({ name }) => name);
}

const list: SlashCommand = {
  name: 'list',
  description: 'Lists the installed extensions, their state and updates.',
  source: 'builtin',
  runsHeadless: true,
  runsWhileBusy: true,
  run: (context) => withExtensions(context, async (extensions) => info(await extensions.list())),
};

const explore: SlashCommand = {
  name: 'explore',
  description: 'Tells where extensions are listed.',
  source: 'builtin',
  runsHeadless: true,
  runsWhileBusy: true,
  run: () => info('Extensions are listed at https://geminicli.com/extensions/'),
};

const reload: SlashCommand = {
  name: 'reload',
  aliases: ['restart'],
  description: 'Loads the extensions again: servers, hooks, rules, themes, commands and context.',
  source: 'builtin',
  usage: '[names|--all]',
  names,
  run: (context, args) => withExtensions(context, (extensions) => extensions.reload(args)),
};

function changing(
  name: 'config' | 'consent' | 'disable' | 'enable' | 'install' | 'link' | 'uninstall' | 'update',
  description: string,
  usage: string,
  aliases: readonly string[] = [],
): SlashCommand {
  const run = (context: CommandContext, args: string) =>
    withExtensions(context, (extensions) => extensions[name](args));
  const takesNames = name !== 'install' && name !== 'link';
  return { name, aliases, description, source: 'builtin', usage, ...(takesNames && { names }), run };
}

export const extensions: SlashCommand = {
  name: 'extensions',
  description: 'Lists, installs, updates, enables and configures extensions.',
  source: 'builtin',
  runsHeadless: true,
  runsWhileBusy: true,
  subCommands: [
    list,
    changing('update', 'Updates extensions.', '<names>|--all'),
    explore,
    reload,
    changing('enable', 'Enables an extension.', '<name>|--all [--scope user|workspace|session]'),
    changing('disable', 'Disables an extension.', '<name>|--all [--scope user|workspace|session]'),
    changing('install', 'Installs an extension.', '<source> [--ref <ref>]'),
    changing('uninstall', 'Removes extensions.', '<names>|--all', ['delete', 'remove']),
    changing('link', 'Uses a folder as an extension.', '<path>'),
    changing('config', 'Sets the values of settings.', '[name] [setting] [--scope user|workspace]'),
    changing('consent', 'Shows what extensions would run and asks for your consent.', '[names]'),
  ],
  run: (context) => withExtensions(context, async (service) => info(await service.list())),
};

async function withExtensions(
  { services }: CommandContext,
  work: (extensions: ExtensionService) => Promise<CommandResult>,
): Promise<CommandResult> {
  if (!services?.openExtensions) return failure('Extensions cannot be changed here. Use castor extensions --help');
  try {
    return await work(await services.openExtensions());
  } catch (error) {
    return failure(getErrorMessage(error));
  }
}
