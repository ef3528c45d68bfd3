import type { SlashCommand } from './command.ts';

export const footer: SlashCommand = {
  name: 'footer',
  aliases: ['statusline'],
  description: 'Selects what the footer shows.',
  source: 'builtin',
  run: () => ({ type: 'open_dialog', dialog: 'footer' }),
};
