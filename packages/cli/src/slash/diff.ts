/** `/diff`: what this session changed: a list of files to keep or revert, and without a screen by prompt and file. */

import { failure, info } from './command.ts';
import type { SlashCommand } from './command.ts';

export const diff: SlashCommand = {
  name: 'diff',
  description: 'Shows all that this session changed; each file can be kept or reverted.',
  source: 'builtin',
  runsHeadless: true,
  async run({ agent, hasScreen = false }) {
    if (hasScreen) return { type: 'open_dialog', dialog: 'diff' };
    const { describeSession } = await import('./undo-service.ts');
    try {
      return info(await describeSession(agent));
    } catch (error) {
      return failure(error instanceof Error ? error.message : String(error));
    }
  },
};
