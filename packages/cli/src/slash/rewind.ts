import type { SlashCommand } from './command.ts';

export const rewind: SlashCommand = {
  name: 'rewind',
  description: 'Rewinds to before an earlier message, and optionally undoes what changed since.',
  source: 'builtin',
  run: () => ({ type: 'open_dialog', dialog: 'rewind' }),
};
