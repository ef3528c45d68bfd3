import { failure, info } from './command.ts';
import type { CommandContext, SlashCommand } from './command.ts';

const show: SlashCommand = {
  name: 'show',
  description: 'Lists the workspace directories.',
  source: 'builtin',
  runsHeadless: true,
  run: (context) => info(describe(context)),
};

const add: SlashCommand = {
  name: 'add',
  description: 'Says how to work in more directories.',
  source: 'builtin',
  usage: '<path>[,<path>…]',
  run: (_context, args) =>
    failure(
      `A running session keeps its directories. Start again with --include-directories ${args || '<path>'} -r latest.`,
    ),
};

export const directory: SlashCommand = {
  name: 'directory',
  aliases: ['dir'],
  description: 'The directories the tools may work in.',
  source: 'builtin',
  runsHeadless: true,
  subCommands: [show, add],
  run: (context) => info(describe(context)),
};

function describe({ agent }: CommandContext): string {
  return ['Workspace directories:', ...agent.workspace.directories.map((each) => `  ${each}`)].join('\n');
}
