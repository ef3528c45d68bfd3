import { getErrorMessage } from '@castor/core';
import { describeWithHint } from '../start/describe-with-hint.ts';
import { failure, info } from './command.ts';
import type { SlashCommand } from './command.ts';

const set: SlashCommand = {
  name: 'set',
  description: 'Switches the model, from the next turn on.',
  source: 'builtin',
  runsWhileBusy: true,
  usage: '<name> [--persist]',
  async run({ agent, services }, args) {
    const words = args.split(/\s+/).filter(Boolean);
    const names = words.filter((word) => word !== '--persist');
    const [name] = names;
    if (name === undefined || names.length > 1 || name.startsWith('-')) {
      return failure('Missing name: /model set <name> [--persist]');
    }
    try {
      agent.setModel(name);
    } catch (error) {
      return failure(describeWithHint(error));
    }
    if (!words.includes('--persist')) return info(`The model is ${name} for this session.`);
    if (!services?.saveSetting) return failure(`The model is ${name} for this session; settings cannot be saved here.`);
    try {
      await services.saveSetting('model.name', name);
      return info(`The model is ${name}, in later sessions too.`);
    } catch (error) {
      return failure(`The model is ${name} for this session; it could not be saved: ${getErrorMessage(error)}`);
    }
  },
};

const manage: SlashCommand = {
  name: 'manage',
  description: 'Opens the list of models.',
  source: 'builtin',
  runsWhileBusy: true,
  run: () => ({ type: 'open_dialog', dialog: 'model' }),
};

export const model: SlashCommand = {
  name: 'model',
  description: 'Shows or changes the model.',
  source: 'builtin',
  runsWhileBusy: true,
  runsHeadless: true,
  subCommands: [manage, set],
  run: ({ agent, hasScreen }) =>
    hasScreen ? { type: 'open_dialog', dialog: 'model' } : info(`The model is ${agent.requestedModel()}.`),
};
