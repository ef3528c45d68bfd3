import { info } from './command.ts';
import type { CommandContext, CommandResult, SlashCommand } from './command.ts';

const list: SlashCommand = {
  name: 'list',
  aliases: ['panel', 'show'],
  description: 'Lists the hooks in force.',
  source: 'builtin',
  runsHeadless: true,
  run: describe,
};

export const hooks: SlashCommand = {
  name: 'hooks',
  description: 'Programs of yours that run at set moments.',
  source: 'builtin',
  runsHeadless: true,
  subCommands: [list],
  run: describe,
};

async function describe({ agent, services }: CommandContext): Promise<CommandResult> {
  if (!agent.hooks) return info('No hooks are configured.');
  return info((await services?.describeHooks?.()) ?? 'Hooks are configured; castor hooks list shows them.');
}
