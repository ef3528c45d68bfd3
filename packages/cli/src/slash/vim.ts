import type { SlashCommand } from './command.ts';

export const vim: SlashCommand = {
  name: 'vim',
  description: 'Switches the keys of vim on or off.',
  source: 'builtin',
  runsWhileBusy: true,
  run: () => ({ type: 'toggle_vim' }),
};
