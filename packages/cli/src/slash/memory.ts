import type { LoadedContext } from '@castor/core';
import { estimateTokenCount } from '@castor/core';
import { countOf } from '@castor/core/program';
import { info } from './command.ts';
import type { CommandContext, CommandResult, SlashCommand } from './command.ts';

const NOTHING = 'No context files are loaded. Write GEMINI.md in this folder or in ~/.gemini, or run /init.';

const show: SlashCommand = {
  name: 'show',
  description: 'Shows the instructions sent to the model.',
  source: 'builtin',
  runsWhileBusy: true,
  runsHeadless: true,
  run: ({ agent }) => {
    const { global, project, warnings } = agent.context;
    const text = [global, project].filter(Boolean).join('\n\n');
    return info(withWarnings(text === '' ? NOTHING : `${describeSize(text)}\n\n${text}`, warnings));
  },
};

const list: SlashCommand = {
  name: 'list',
  description: 'Lists the context files in use.',
  source: 'builtin',
  runsWhileBusy: true,
  runsHeadless: true,
  run: ({ agent }) => info(describeFiles(agent.context, agent.workspace)),
};

const reload: SlashCommand = {
  name: 'reload',
  aliases: ['refresh'],
  description: 'Reloads the context files.',
  source: 'builtin',
  runsHeadless: true,
  run: reloadContext,
};

export const memory: SlashCommand = {
  name: 'memory',
  description: 'Shows or reloads the instructions in GEMINI.md and AGENTS.md files.',
  source: 'builtin',
  runsWhileBusy: true,
  runsHeadless: true,
  subCommands: [show, list, reload],
  run: ({ agent }) => info(describeFiles(agent.context, agent.workspace)),
};

async function reloadContext({ agent }: CommandContext): Promise<CommandResult> {
  return info(`Reloaded. ${describeFiles(await agent.reloadContext(), agent.workspace)}`);
}

/** A file of the workspace is named as its users know it. */
function describeFiles(context: LoadedContext, workspace: CommandContext['agent']['workspace']): string {
  const { files, warnings } = context;
  if (files.length === 0) return withWarnings(NOTHING, warnings);
  const width = Math.max(8, ...files.map(({ scope }) => scope.length));
  const rows = files.map(
    ({ path, scope, bytes }) =>
      `  ${scope.padEnd(width)} ${String(bytes).padStart(7)} bytes  ${workspace.relative(path)}`,
  );
  const text = [context.global, context.project].join('');
  return withWarnings(
    [`${countOf(files.length, 'context file')}, ${describeSize(text)}:`, ...rows].join('\n'),
    warnings,
  );
}

function describeSize(text: string): string {
  return `about ${estimateTokenCount([{ text }])} tokens in every request`;
}

function withWarnings(text: string, warnings: readonly string[]): string {
  return [text, ...warnings.map((warning) => `Warning: ${warning}`)].join('\n');
}
