import { getErrorMessage } from '@castor/core';
import { failure, info } from './command.ts';
import type { CommandContext, CommandResult, SlashCommand } from './command.ts';

type Action = 'status' | 'enable' | 'disable' | 'install';

function subCommand(name: Action, description: string): SlashCommand {
  return { name, description, source: 'builtin', runsWhileBusy: true, run: (context) => act(name, context) };
}

async function act(name: Action, { services, signal }: CommandContext): Promise<CommandResult> {
  const companion = await services?.openCompanion?.();
  if (!companion) return failure('/ide needs the terminal UI.');
  try {
    return info(await companion[name](signal));
  } catch (error) {
    return failure(getErrorMessage(error));
  }
}

export const ide: SlashCommand = {
  name: 'ide',
  description: 'Connects to the editor that contains this terminal.',
  source: 'builtin',
  runsWhileBusy: true,
  subCommands: [
    subCommand('status', 'Shows the connection, the open files, and where Castor looked for the editor.'),
    subCommand('enable', 'Connects, now and in later sessions.'),
    subCommand('disable', 'Disconnects, now and in later sessions.'),
    subCommand('install', "Installs the companion with the editor's own command."),
  ],
  run: (context) => act('status', context),
};
