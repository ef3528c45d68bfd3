/** `/branch`: copies this folder and the conversation so far, or up to a prompt, into a folder beside it. */

import { failure, info } from './command.ts';
import type { CommandContext, CommandResult, SlashCommand } from './command.ts';

export const branch: SlashCommand = {
  name: 'branch',
  description: 'Copies this folder and the conversation, to try another way beside this one.',
  source: 'builtin',
  usage: '<name> [prompt] | list',
  async run(context, args): Promise<CommandResult> {
    try {
      return info(
        await run(
          context,
          args.split(/\s+/).filter((word) => word !== ''),
        ),
      );
    } catch (error) {
      return failure(error instanceof Error ? error.message : String(error));
    }
  },
};

async function run({ agent, home }: CommandContext, [name, at, ...rest]: readonly string[]): Promise<string> {
  const [{ createBranch, listBranches }, { describeNew }, { describeBranches }] = await Promise.all([
    import('@castor/core/program'),
    import('../commands/branch.ts'),
    import('../commands/branch-text.ts'),
  ]);
  const project = { home, root: agent.workspace.root };
  if (name === undefined || name === 'list') return describeBranches(await listBranches(project)).trimEnd();
  if (rest.length > 0)
    return 'Use /branch <name> [prompt]. Compare and merge with castor branch, when this session is closed.';
  const { sessionId } = agent.session;
  return describeNew(await createBranch({ ...project, name, at, session: sessionId }));
}
