/** enter_plan_mode: lets the model ask to explore and plan first, without changing anything. */

import type { DefinedTool } from '../../protocol/tools.ts';
import { throwIfAborted } from '../../util/clock.ts';
import { defineTool } from '../define-tool.ts';

const DESCRIPTION =
  'Switches to Plan mode, in which nothing but plan files can be changed. Use it to research and design before a complex change.';

export interface EnterPlanModeDependencies {
  setApprovalMode(mode: 'plan'): void;
}

export function createEnterPlanModeTool({ setApprovalMode }: EnterPlanModeDependencies): DefinedTool {
  return defineTool({
    name: 'enter_plan_mode',
    displayName: 'Enter Plan Mode',
    kind: 'plan',
    description: DESCRIPTION,
    schema: {
      type: 'object',
      properties: { reason: { type: 'string', description: 'Why a plan is needed.' } },
      additionalProperties: false,
    },
    describe: ({ reason }) => reason || 'Initiating Plan Mode',
    confirm: async ({ reason }) => ({
      type: 'info',
      title: 'Enter Plan Mode',
      prompt: `This restricts the agent to reading and planning.${reason ? ` Reason: ${reason}` : ''}`,
    }),
    async execute({ reason }, { signal }) {
      throwIfAborted(signal);
      setApprovalMode('plan');
      return {
        llmContent: 'Switching to Plan mode.',
        returnDisplay: reason ? `Switching to Plan mode: ${reason}` : 'Switching to Plan mode',
      };
    },
  });
}
