import { info } from './command.ts';
import type { CommandList, SlashCommand } from './command.ts';

const list: SlashCommand = {
  name: 'list',
  description: 'Lists your own commands and those of the project.',
  source: 'builtin',
  runsWhileBusy: true,
  runsHeadless: true,
  run: ({ commands }) => info(describe(commands)),
};

const reload: SlashCommand = {
  name: 'reload',
  aliases: ['refresh'],
  description: 'Reloads the commands.',
  source: 'builtin',
  runsHeadless: true,
  async run({ commands }) {
    await commands?.reload();
    return info(`Reloaded. ${describe(commands)}`);
  },
};

export const commands: SlashCommand = {
  name: 'commands',
  description: 'Lists or reloads custom commands.',
  source: 'builtin',
  runsWhileBusy: true,
  runsHeadless: true,
  subCommands: [list, reload],
  run: (context) => info(describe(context.commands)),
};

function describe(list: CommandList | undefined): string {
  const rows = (list?.all ?? []).flatMap(({ name, source, description }) =>
    source === 'builtin' || source.kind === 'builtin' ? [] : [`  /${name}  ${description} (${source.name})`],
  );
  const head =
    rows.length === 0 ? 'No custom commands. Write one to ~/.gemini/commands/<name>.toml.' : 'Custom commands:';
  return [head, ...rows, ...(list?.notices ?? [])].join('\n');
}
