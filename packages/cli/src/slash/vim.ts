import type { SlashCommand } from './command.ts';

export const vim: SlashCommand = {
  name: 'vim',
  description: 'Toggles vim keys.',
  source: 'builtin',
  runsWhileBusy: true,
  run: () => ({ type: 'toggle_vim' }),
};
