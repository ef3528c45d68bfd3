import type { SlashCommand } from './command.ts';

export const theme: SlashCommand = {
  name: 'theme',
  description: 'Changes the colours.',
  source: 'builtin',
  runsWhileBusy: true,
  run: () => ({ type: 'open_dialog', dialog: 'theme' }),
};
