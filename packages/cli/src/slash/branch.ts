/** `/branch`: copies this folder and the conversation into a folder beside it; lists, compares, merges and drops such copies. */

import type { SlashCommand, CommandContext, CommandResult } from './command.ts';
import { failure, info } from './command.ts';

const list: SlashCommand = {
  name: 'list',
  description: 'Lists the branches of this folder.',
  source: 'builtin',
  run: (context) => answer(context, 'list'),
};

export const branch: SlashCommand = {
  name: 'branch',
  description: 'Copies this folder and the conversation, to try another way beside this one.',
  source: 'builtin',
  usage: '<name> [prompt] | list | compare <name> | merge <name> | drop <name> [--yes]',
  subCommands: [
    list,
    ofBranch('compare', 'Shows what a branch and this folder changed since, and what each cost.'),
    ofBranch('merge', 'Takes over what a branch changed.'),
    ofBranch('drop', 'Removes the folder of a branch.', '<name> [--yes]'),
  ],
  run: answer,
};

function ofBranch(name: string, description: string, usage = '<name>'): SlashCommand {
  return {
    ...{ name, description, usage },
    source: 'builtin',
    names: async ({ agent, home }) => {
      const { listBranches } = await import('@castor/core/program');
      return (await listBranches({ home, root: agent.workspace.root })).map((each) => each.name);
    },
    run: (context, args) => answer(context, `${name} ${args}`),
  };
}

async function answer(context: CommandContext, args: string): Promise<CommandResult> {
  try {
    const words = args.split(/\s+/).filter((word) => word !== '');
    return info(await run(context, words));
  } catch (error) {
    return failure(error instanceof Error ? error.message : String(error));
  }
}

const USAGE = 'Use /branch <name> [prompt], or /branch list, compare <name>, merge <name>, drop <name> [--yes].';

async function run({ agent, home }: CommandContext, words: readonly string[]): Promise<string> {
  const [{ createBranch, findBranch, listBranches }, text, { compareBranch, dropChecked }] = await Promise.all([
    import('@castor/core/program'),
    import('../commands/branch-text.ts'),
    import('../commands/compare-branch.ts'),
  ]);
  const project = { home, root: agent.workspace.root };
  const [first = 'list', second, third] = words;
  if (words.length > 3) return USAGE;
  if (first === 'list') return text.describeBranches(await listBranches(project)).trimEnd();
  if (['compare', 'merge', 'drop'].includes(first) && second === undefined) return USAGE;
  if (first === 'compare') return text.describeComparison(await compareBranch(project, second!)).trimEnd();
  if (first === 'drop') return dropChecked(project, second!, third === '--yes');
  if (first === 'merge') {
    const { undo } = agent;
    if (!undo) return 'A merge needs the record of the session, which is off here. Use castor branch merge.';
    const tellModel = (sentence: string) =>
      agent.chat.addHistory({ role: 'user', parts: [{ text: `<system_note>${sentence}</system_note>` }] });
    return text.describeMerged(await undo.merge(await findBranch(project, second!), tellModel)).trimEnd();
  }
  if (third !== undefined) return USAGE;
  const { sessionId } = agent.session;
  return text.describeNew(await createBranch({ ...project, name: first, at: second, session: sessionId }));
}
