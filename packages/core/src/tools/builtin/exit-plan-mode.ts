/**
 * exit_plan_mode: shows the finished plan to the user, who decides whether and how to
 * proceed. Only the user's answer ends plan mode, never a rule, except in a run the user
 * started unattended.
 */

import { join } from 'node:path';
import type { DefinedTool } from '../../protocol/tools.ts';
import { defineTool } from '../define-tool.ts';
import type { ExitPlanModeDependencies } from '../plan-approval.ts';

const DESCRIPTION =
  'Presents the finished plan to the user for approval and leaves Plan mode. Write the plan to a file in the plans directory first.';

const load = () => import('../plan-approval.ts');

export function createExitPlanModeTool(dependencies: ExitPlanModeDependencies): DefinedTool {
  const { plansDirectory } = dependencies;
  return defineTool({
    name: 'exit_plan_mode',
    displayName: 'Exit Plan Mode',
    kind: 'plan',
    description: DESCRIPTION,
    schema: {
      type: 'object',
      properties: { plan_filename: { type: 'string', description: 'The plan file, inside the plans directory.' } },
      required: ['plan_filename'],
      additionalProperties: false,
    },
    validate: ({ plan_filename }) => (plan_filename.trim() === '' ? 'plan_filename is required.' : undefined),
    describe: ({ plan_filename }) => `Requesting plan approval for: ${join(plansDirectory, plan_filename)}`,
    confirm: async ({ plan_filename }) => (await load()).presentPlan(plansDirectory, plan_filename),
    execute: async ({ plan_filename }, context) => (await load()).concludePlan(plan_filename, context, dependencies),
  });
}
