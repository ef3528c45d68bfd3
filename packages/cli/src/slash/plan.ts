import { failure, info } from './command.ts';
import type { SlashCommand } from './command.ts';

export const plan: SlashCommand = {
  name: 'plan',
  description: 'Switches to plan mode: the model reads and plans, and changes nothing.',
  source: 'builtin',
  usage: '[goal]',
  runsHeadless: true,
  run({ agent }, goal) {
    if (!agent.policy.hasPlanMode) return failure('Plan mode is switched off (general.plan.enabled).');
    agent.policy.mode = 'plan';
    return goal === '' ? info('Plan mode is on.') : { type: 'submit_prompt', parts: [{ text: goal }] };
  },
};
