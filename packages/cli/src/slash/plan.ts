import { readFile } from 'node:fs/promises';
import { failure, info } from './command.ts';
import type { SlashCommand } from './command.ts';

export const plan: SlashCommand = {
  name: 'plan',
  description: 'Switches to plan mode: the model reads and plans, and changes nothing.',
  source: 'builtin',
  usage: '[goal]',
  runsHeadless: true,
  subCommands: [
    {
      name: 'copy',
      description: 'Copies the approved plan to the clipboard.',
      source: 'builtin',
      runsWhileBusy: true,
      async run({ agent }) {
        const path = agent.approvedPlan();
        if (path === undefined) return failure('No approved plan to copy yet.');
        try {
          return { type: 'copy_text', text: await readFile(path, 'utf8') };
        } catch (error) {
          return failure(`The plan is not readable: ${(error as Error).message}`);
        }
      },
    },
  ],
  run({ agent }, goal) {
    if (!agent.policy.hasPlanMode) return failure('Plan mode is disabled (general.plan.enabled).');
    agent.policy.mode = 'plan';
    return goal === '' ? info('Plan mode is on.') : { type: 'submit_prompt', parts: [{ text: goal }] };
  },
};
