import { describeUnreadCommands } from '../start/unread-commands.ts';
import { info } from './command.ts';
import type { CommandContext, CommandResult, SlashCommand } from './command.ts';

const list: SlashCommand = {
  name: 'list',
  description: 'Lists your own commands and those of the project.',
  source: 'builtin',
  runsWhileBusy: true,
  runsHeadless: true,
  run: async (context) => info(await describe(context)),
};

const reload: SlashCommand = {
  name: 'reload',
  aliases: ['refresh'],
  description: 'Reloads the commands.',
  source: 'builtin',
  runsHeadless: true,
  async run(context): Promise<CommandResult> {
    await context.commands?.reload();
    return info(`Reloaded. ${await describe(context)}`);
  },
};

export const commands: SlashCommand = {
  name: 'commands',
  description: 'Lists or reloads custom commands.',
  source: 'builtin',
  runsWhileBusy: true,
  runsHeadless: true,
  subCommands: [list, reload],
  run: async (context) => info(await describe(context)),
};

async function describe({ commands: list, agent, listOptions }: CommandContext): Promise<string> {
  const rows = (list?.all ?? []).flatMap(({ name, source, description }) =>
    source === 'builtin' || source.kind === 'builtin' ? [] : [`  /${name}  ${description} (${source.name})`],
  );
  const head =
    rows.length === 0 ? 'No custom commands. Write one to ~/.gemini/commands/<name>.toml.' : 'Custom commands:';
  const unread = await describeUnreadCommands(agent.sources, listOptions);
  return [head, ...rows, ...(list?.notices ?? []), ...unread].join('\n');
}
