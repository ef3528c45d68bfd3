/** `/restore`: lists the restore points of edits, Gemini CLI's among them, or restores one, in Gemini CLI's words. */

import { getErrorMessage } from '@castor/core';
import { failure, info } from './command.ts';
import type { SlashCommand } from './command.ts';

export const restore: SlashCommand = {
  name: 'restore',
  description: 'Restores the files and the conversation from before an edit; alone, lists the points.',
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
      const history = await undo.restore(name);
      if (history.length > 0) agent.chat.setHistory([...history]);
      return info('Restored project to the state before the tool call.');
    } catch (error) {
      return failure(getErrorMessage(error));
    }
  },
};
