/** `/redo`: takes the last undo back. */

import { failure, info } from './command.ts';
import type { SlashCommand } from './command.ts';

export const redo: SlashCommand = {
  name: 'redo',
  description: 'Takes the last /undo back.',
  source: 'builtin',
  usage: '[--git] [--yes]',
  async run({ agent, hasScreen }, args) {
    if (hasScreen) return { type: 'open_dialog', dialog: 'undo', argument: `redo ${args}` };
    const { carryOut, parseUndoWords, showUndo } = await import('./undo-service.ts');
    const wish = parseUndoWords(`redo ${args}`);
    if (typeof wish === 'string') return failure(wish);
    try {
      return info(await (wish.isSure ? carryOut(agent, wish) : showUndo(agent, wish)));
    } catch (error) {
      return failure(error instanceof Error ? error.message : String(error));
    }
  },
};
