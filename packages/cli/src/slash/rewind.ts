import type { SlashCommand } from './command.ts';

export const rewind: SlashCommand = {
  name: 'rewind',
  description: 'Goes back to before an earlier message, and undoes the edits since if you like.',
  source: 'builtin',
  run: () => ({ type: 'open_dialog', dialog: 'rewind' }),
};
