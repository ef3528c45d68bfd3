/** complete_task: the only way for a child to hand in its result; the run ends with the first accepted call. */

import type { DefinedTool } from '../protocol/tools.ts';
import { defineTool } from '../tools/define-tool.ts';
import { isRecord } from '../util/is-record.ts';
import type { AgentOutput } from './agent-definition.ts';

export const COMPLETE_TASK = 'complete_task';

const DESCRIPTION =
  'Hands in the result and ends your work. Call it alone, once, when the task is done or cannot be done; nothing you say elsewhere reaches the caller.';

/** `onResult` receives the text for the parent. */
export function createCompleteTaskTool(
  output: AgentOutput | undefined,
  onResult: (result: string) => void,
): DefinedTool {
  const name = output?.name ?? 'result';
  const value = output
    ? { ...output.schema, description: output.description }
    : { type: 'string', description: 'The result, complete: findings, changes, and what could not be done.' };
  return defineTool({
    name: COMPLETE_TASK,
    displayName: 'CompleteTask',
    kind: 'think',
    description: DESCRIPTION,
    schema: { type: 'object', properties: { [name]: value }, required: [name], additionalProperties: false },
    validate: (params: Record<string, unknown>) =>
      isEmpty(params[name]) ? `${name} is empty. Hand in the whole result.` : undefined,
    describe: () => 'Hands in the result',
    async execute(params: Record<string, unknown>) {
      const result = output ? output.render(params[name]) : String(params[name]);
      onResult(result);
      return 'Result submitted.';
    },
  });
}

function isEmpty(value: unknown): boolean {
  if (typeof value === 'string') return value.trim() === '';
  return (
    isRecord(value) && Object.values(value).every((each) => isEmpty(each) || (Array.isArray(each) && each.length === 0))
  );
}
