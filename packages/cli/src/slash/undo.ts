/** `/undo`: takes back what the last prompts, or one call, changed in the workspace. */

import { failure, info } from './command.ts';
import type { CommandContext, CommandResult, SlashCommand } from './command.ts';

export const undo: SlashCommand = {
  name: 'undo',
  description: 'Takes back what the last prompt changed: edits, commands, sub-agents. Shows it first.',
  source: 'builtin',
  usage: '[<number of prompts> | to <prompt> | call <id> | list] [--session <id>] [--git] [--shared] [--yes]',
  run: async (context, args) =>
    context.hasScreen && args !== 'list'
      ? { type: 'open_dialog', dialog: 'undo', argument: args }
      : apply(context, args),
};

/** Where no user can be asked, only `--yes` changes anything. */
async function apply({ agent }: CommandContext, args: string): Promise<CommandResult> {
  const { carryOut, listUndo, parseUndoWords, showUndo, withEarlier } = await import('./undo-service.ts');
  try {
    if (args === 'list') return info(await listUndo(agent));
    const wish = parseUndoWords(args);
    if (typeof wish === 'string') return failure(wish);
    return info(await (wish.isSure ? carryOut(agent, wish) : showUndo(agent, wish)));
  } catch (error) {
    return failure(await withEarlier(error, agent));
  }
}
