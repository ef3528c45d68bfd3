import { getErrorMessage } from '@castor/core';
import { failure, info } from './command.ts';
import type { CommandContext, SlashCommand } from './command.ts';

const show: SlashCommand = {
  name: 'show',
  description: 'Lists the workspace directories.',
  source: 'builtin',
  runsWhileBusy: true,
  runsHeadless: true,
  run: (context) => info(describe(context)),
};

const add: SlashCommand = {
  name: 'add',
  description: 'Adds workspace directories until the session ends.',
  source: 'builtin',
  usage: '<path>[,<path>…]',
  run(context, args) {
    const paths = args.split(',').map((path) => path.trim());
    if (paths.includes('')) return failure('Missing directory: /directory add <path>[,<path>…]');
    const { added, problems } = addAll(paths, context);
    if (added.length > 0) {
      tellOfDirectories(added, context.agent);
      context.agent.servers?.rootsChanged();
    }
    return problems.length > 0 ? failure(problems.join('\n')) : info(describe(context));
  },
};

export const directory: SlashCommand = {
  name: 'directory',
  aliases: ['dir'],
  description: 'Lists or adds workspace directories.',
  source: 'builtin',
  runsWhileBusy: true,
  runsHeadless: true,
  subCommands: [show, add],
  run: (context) => info(describe(context)),
};

function describe({ agent }: CommandContext): string {
  return ['Workspace directories:', ...agent.workspace.directories.map((each) => `  ${each}`)].join('\n');
}

function addAll(paths: readonly string[], { agent, home }: CommandContext): { added: string[]; problems: string[] } {
  const added: string[] = [];
  const problems: string[] = [];
  for (const path of paths) {
    try {
      added.push(agent.workspace.addDirectory(/^~(?=$|\/)/.test(path) ? `${home}${path.slice(1)}` : path));
    } catch (error) {
      problems.push(getErrorMessage(error));
    }
  }
  return { added, problems };
}

/** Marked as session context like the first message: a session resumed elsewhere gets its own. */
export function tellOfDirectories(added: readonly string[], agent: CommandContext['agent']): void {
  const list = added.map((directory) => `  - ${directory}`).join('\n');
  const text = `<session_context>\nThe user has added directories to the workspace:\n${list}\n</session_context>`;
  agent.chat.addHistory({ role: 'user', parts: [{ text }] });
}
