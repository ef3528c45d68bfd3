import type { SlashCommand } from './command.ts';

export const shortcuts: SlashCommand = {
  name: 'shortcuts',
  description: 'Shows the keys; so does ? on empty input.',
  source: 'builtin',
  runsWhileBusy: true,
  run: () => ({ type: 'open_dialog', dialog: 'shortcuts' }),
};
