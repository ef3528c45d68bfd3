import type { SlashCommand } from './command.ts';

export const editor: SlashCommand = {
  name: 'editor',
  description: 'Selects the editor for prompts and proposed edits.',
  source: 'builtin',
  runsWhileBusy: true,
  run: () => ({ type: 'open_dialog', dialog: 'editor' }),
};
