/** write_todos: keeps the model's own list of open tasks and shows it to the user. */

import type { DefinedTool } from '../../protocol/tools.ts';
import { defineTool } from '../define-tool.ts';

const DESCRIPTION =
  'Replaces the list of subtasks for the current request. Use it for work of several steps; keep at most one in_progress and update the list as you go.';

const STATUSES = ['pending', 'in_progress', 'completed', 'cancelled', 'blocked'] as const;

export function createWriteTodosTool(): DefinedTool {
  return defineTool({
    name: 'write_todos',
    displayName: 'WriteTodos',
    kind: 'think',
    description: DESCRIPTION,
    schema: {
      type: 'object',
      properties: {
        todos: {
          type: 'array',
          description: 'The whole list.',
          items: {
            type: 'object',
            properties: { description: { type: 'string' }, status: { type: 'string', enum: STATUSES } },
            required: ['description', 'status'],
            additionalProperties: false,
          },
        },
      },
      required: ['todos'],
      additionalProperties: false,
    },
    validate({ todos }) {
      if (todos.some(({ description }) => description.trim() === '')) return 'Each todo needs a description.';
      const running = todos.filter(({ status }) => status === 'in_progress').length;
      return running > 1 ? 'Only one todo can be in_progress at a time.' : undefined;
    },
    describe: ({ todos }) => (todos.length === 0 ? 'Cleared the todo list' : `Set ${todos.length} todo(s)`),
    async execute({ todos }) {
      const lines = todos.map(({ description, status }, index) => `${index + 1}. [${status}] ${description}`);
      const llmContent =
        lines.length === 0
          ? 'Successfully cleared the todo list.'
          : `Successfully updated the todo list. The current list is now:\n${lines.join('\n')}`;
      return { llmContent, returnDisplay: { todos } };
    },
  });
}
