import type { SlashCommand } from './command.ts';

export const settings: SlashCommand = {
  name: 'settings',
  description: 'Shows or changes settings; castor config show lists them all.',
  source: 'builtin',
  runsWhileBusy: true,
  run: () => ({ type: 'open_dialog', dialog: 'settings' }),
};
