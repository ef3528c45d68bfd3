import { info } from './command.ts';
import type { CommandContext, SlashCommand } from './command.ts';

const list: SlashCommand = {
  name: 'list',
  aliases: ['nodesc'],
  description: 'Lists the tools of the model.',
  source: 'builtin',
  runsWhileBusy: true,
  runsHeadless: true,
  run: (context) => info(describe(context)),
};

const descriptions: SlashCommand = {
  name: 'desc',
  aliases: ['descriptions'],
  description: 'Lists the tools with the descriptions sent to the model.',
  source: 'builtin',
  runsWhileBusy: true,
  runsHeadless: true,
  run: (context) => info(describe(context, { withDescriptions: true })),
};

export const tools: SlashCommand = {
  name: 'tools',
  description: 'Lists the tools of the model.',
  source: 'builtin',
  runsWhileBusy: true,
  runsHeadless: true,
  subCommands: [list, descriptions],
  run: (context) => info(describe(context)),
};

function describe({ agent }: CommandContext, { withDescriptions = false } = {}): string {
  const tools = agent.tools.list();
  const width = Math.max(0, ...tools.map(({ displayName }) => displayName.length));
  const rows = tools.map(({ name, displayName, description }) => {
    const row = `  ${displayName.padEnd(width)}  ${name}`;
    return withDescriptions ? `${row}\n    ${description.replaceAll('\n', '\n    ')}` : row;
  });
  return [`Tools  ${tools.length}`, ...rows].join('\n');
}
