/** `/restore`: lists the restore points of edits, Gemini CLI's among them, or restores one and proposes its call again. */

import { getErrorMessage } from '@castor/core';
import { failure, info } from './command.ts';
import type { SlashCommand } from './command.ts';

export const restore: SlashCommand = {
  name: 'restore',
  description: 'Restores files and conversation from before an edit and proposes it again; alone, lists the points.',
  source: 'builtin',
  usage: '[name]',
  runsHeadless: true,
  async run({ agent, hasScreen }, name) {
    const { undo } = agent;
    if (!undo) return failure('Undo is off here: the session is not recorded, or castor.undo.coverage is off.');
    const names = await undo.listPoints();
    if (name === '')
      return info(
        names.length === 0
          ? 'No restorable tool calls found.'
          : `Available tool calls to restore:\n\n${names.join('\n')}`,
      );
    if (!hasScreen) return failure('/restore changes files only in the terminal UI. Without one: castor undo.');
    try {
      const { history, call } = await undo.restore(name, agent.chat.getHistory());
      agent.chat.setHistory(history);
      return { type: 'propose_call', call, message: 'Restored project to the state before the tool call.' };
    } catch (error) {
      return failure(getErrorMessage(error));
    }
  },
};
