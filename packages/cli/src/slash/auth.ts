import type { SlashCommand } from './command.ts';

const signin: SlashCommand = {
  name: 'signin',
  aliases: ['login'],
  description: 'Asks for a key and uses it.',
  source: 'builtin',
  run: () => ({ type: 'open_dialog', dialog: 'auth' }),
};

const signout: SlashCommand = {
  name: 'signout',
  aliases: ['logout'],
  description: 'Deletes the key stored in ~/.gemini/.env.',
  source: 'builtin',
  run: () => ({ type: 'open_dialog', dialog: 'signout' }),
};

export const auth: SlashCommand = {
  name: 'auth',
  description: 'Changes how Castor authenticates.',
  source: 'builtin',
  subCommands: [signin, signout],
  run: () => ({ type: 'open_dialog', dialog: 'auth' }),
};
