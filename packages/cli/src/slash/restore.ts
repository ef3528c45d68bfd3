/** `/restore`: lists the restore points of edits, Gemini CLI's among them, or restores one and proposes its call again. */

import { getErrorMessage } from '@castor/core';
import { sanitizeLine } from '../sanitize.ts';
import { failure, info } from './command.ts';
import type { SlashCommand } from './command.ts';

export const restore: SlashCommand = {
  name: 'restore',
  description: 'Restores files and conversation from before an edit and proposes it again; alone, lists the points.',
  source: 'builtin',
  usage: '[name]',
  runsHeadless: true,
  names: async ({ agent }) => (await agent.undo?.listPoints()) ?? [],
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
      const { history, call, problems } = await undo.restore(name, agent.chat.getHistory());
      agent.chat.setHistory(history);
      return { type: 'propose_call', call, message: describe(problems) };
    } catch (error) {
      return failure(getErrorMessage(error));
    }
  },
};

const SHOWN_PROBLEMS = 20;

/** Gemini CLI's sentence, where it is true. */
function describe(problems: readonly string[]): string {
  if (problems.length === 0) return 'Restored project to the state before the tool call.';
  const shown = problems.slice(0, SHOWN_PROBLEMS).map((each) => `  ${sanitizeLine(each)}`);
  const more = problems.length > shown.length ? [`  … and ${problems.length - shown.length} more`] : [];
  return ['Restored project to the state before the tool call, except for:', ...shown, ...more].join('\n');
}
