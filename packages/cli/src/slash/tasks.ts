import type { SlashCommand } from './command.ts';

export const tasks: SlashCommand = {
  name: 'tasks',
  aliases: ['bg', 'background'],
  description: 'Shows background commands: read their output, type into them, end them.',
  source: 'builtin',
  runsWhileBusy: true,
  run: () => ({ type: 'open_dialog', dialog: 'background' }),
};
