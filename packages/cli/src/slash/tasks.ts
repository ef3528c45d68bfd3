import type { SlashCommand } from './command.ts';

export const tasks: SlashCommand = {
  name: 'tasks',
  aliases: ['bg', 'background'],
  description: 'The commands in the background: what they write, typing into them, ending them.',
  source: 'builtin',
  runsWhileBusy: true,
  run: () => ({ type: 'open_dialog', dialog: 'background' }),
};
