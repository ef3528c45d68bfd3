import type { SlashCommand } from './command.ts';

export const quit: SlashCommand = {
  name: 'quit',
  aliases: ['exit'],
  description: 'Exits the program.',
  source: 'builtin',
  runsWhileBusy: true,
  usage: '[--delete]',
  run: (_context, args) => ({ type: 'quit', deleteSession: args === '--delete' }),
};
