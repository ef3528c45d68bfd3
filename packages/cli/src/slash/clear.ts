import type { SlashCommand } from './command.ts';

export const clear: SlashCommand = {
  name: 'clear',
  aliases: ['new'],
  description: 'Starts a new session and clears the screen.',
  source: 'builtin',
  run: () => ({ type: 'new_session' }),
};
