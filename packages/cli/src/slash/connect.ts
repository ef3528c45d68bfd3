import type { SlashCommand } from './command.ts';

export const connect: SlashCommand = {
  name: 'connect',
  description: 'Asks for the key of a provider, stores it and uses its model.',
  source: 'builtin',
  usage: '<provider>',
  run: (_context, argument) => ({ type: 'open_dialog', dialog: 'connect', argument }),
};
