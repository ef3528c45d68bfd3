import { getErrorMessage } from '@castor/core';
import { parseProviderModel } from '@castor/core/program';
import { describeWithHint } from '../start/describe-with-hint.ts';
import { failure, info } from './command.ts';
import type { CommandContext, CommandResult, SlashCommand } from './command.ts';

const set: SlashCommand = {
  name: 'set',
  description: 'Switches the model, from the next turn on.',
  source: 'builtin',
  runsWhileBusy: true,
  runsHeadless: true,
  usage: '<name> [--persist]',
  run: (context, args) => change(context, args, 'Missing name: /model set <name> [--persist]'),
};

async function change({ agent, services }: CommandContext, args: string, missing: string): Promise<CommandResult> {
  const words = args.split(/\s+/).filter(Boolean);
  const names = words.filter((word) => word !== '--persist');
  const [given] = names;
  if (given === undefined || names.length > 1 || given.startsWith('-')) return failure(missing);
  let name: string;
  try {
    name = (await services?.prepareModel?.(given)) ?? given;
    agent.setModel(name);
  } catch (error) {
    return failure(describeWithHint(error));
  }
  if (!words.includes('--persist')) return info(`The model is ${name} for this session.`);
  if (!services?.saveSetting) return failure(`The model is ${name} for this session; settings cannot be saved here.`);
  try {
    // Gemini CLI reads model.name too and knows no other provider.
    const isOwn = parseProviderModel(name) !== undefined || services.prefersOwnModel === true;
    await services.saveSetting(isOwn ? 'castor.model' : 'model.name', name);
    return info(`The model is ${name}, in later sessions too.`);
  } catch (error) {
    return failure(`The model is ${name} for this session; it could not be saved: ${getErrorMessage(error)}`);
  }
}

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
  usage: '[<name> [--persist]]',
  subCommands: [manage, set],
  run(context, args) {
    if (args !== '') return change(context, args, 'Expected one name: /model <name> [--persist]');
    return context.hasScreen
      ? { type: 'open_dialog', dialog: 'model' }
      : info(`The model is ${context.agent.requestedModel()}.`);
  },
};
