import type { SlashCommand } from './command.ts';

export const vim: SlashCommand = {
  name: 'vim',
  description: 'Switches the keys of vim on or off.',
  source: 'builtin',
  run: () => ({ type: 'toggle_vim' }),
};
