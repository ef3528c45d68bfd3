import type { SlashCommand } from './command.ts';

const signin: SlashCommand = {
  name: 'signin',
  aliases: ['login'],
  description: 'Asks for a key, and uses it from now on.',
  source: 'builtin',
  run: () => ({ type: 'open_dialog', dialog: 'auth' }),
};

const signout: SlashCommand = {
  name: 'signout',
  aliases: ['logout'],
  description: 'Forgets the key that was kept in ~/.gemini/.env.',
  source: 'builtin',
  run: () => ({ type: 'open_dialog', dialog: 'signout' }),
};

export const auth: SlashCommand = {
  name: 'auth',
  description: 'How Castor reaches a model.',
  source: 'builtin',
  subCommands: [signin, signout],
  run: () => ({ type: 'open_dialog', dialog: 'auth' }),
};
