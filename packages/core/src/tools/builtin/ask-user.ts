/** ask_user: asks the user up to four questions; the answers arrive with the approval. */

import type { DefinedTool } from '../../protocol/tools.ts';
import { defineTool } from '../define-tool.ts';

const DESCRIPTION =
  'Asks the user one to four questions and waits for the answers. Use it when only the user can decide.';

const DISMISSED = 'User dismissed ask_user dialog without answering.';

export function createAskUserTool(): DefinedTool {
  return defineTool({
    name: 'ask_user',
    displayName: 'Ask User',
    kind: 'communicate',
    description: DESCRIPTION,
    schema: {
      type: 'object',
      properties: {
        questions: {
          type: 'array',
          minItems: 1,
          maxItems: 4,
          items: {
            type: 'object',
            properties: {
              question: { type: 'string' },
              header: { type: 'string', description: 'A label of one or two words.' },
              type: { type: 'string', enum: ['choice', 'text', 'yesno'] },
              options: {
                type: 'array',
                minItems: 2,
                maxItems: 4,
                description: 'For choice: what can be chosen.',
                items: {
                  type: 'object',
                  properties: { label: { type: 'string' }, description: { type: 'string' } },
                  required: ['label', 'description'],
                  additionalProperties: false,
                },
              },
              multiSelect: { type: 'boolean' },
              placeholder: { type: 'string' },
            },
            required: ['question', 'header', 'type'],
            additionalProperties: false,
          },
        },
      },
      required: ['questions'],
      additionalProperties: false,
    },
    validate({ questions }) {
      const empty = questions.findIndex(({ question, header }) => question.trim() === '' || header.trim() === '');
      if (empty >= 0) return `Question ${empty + 1} needs a question and a header.`;
      const index = questions.findIndex(({ type, options }) => type === 'choice' && options === undefined);
      return index < 0 ? undefined : `Question ${index + 1} is of type choice and needs 2 to 4 options.`;
    },
    describe: ({ questions }) => `Asking user: ${questions.map(({ question }) => question).join(', ')}`,
    confirm: async ({ questions }) => ({ type: 'ask_user', title: 'Ask User', questions }),
    async execute({ questions }, { confirmation }) {
      const answers = confirmation?.answers ?? {};
      const given = Object.entries(answers).filter(([index]) => questions[Number(index)] !== undefined);
      if (given.length === 0) return { llmContent: DISMISSED, returnDisplay: 'The user gave no answer.' };
      const shown = given.map(([index, answer]) => `${questions[Number(index)]?.header}: ${answer}`);
      return {
        llmContent: JSON.stringify({ answers: Object.fromEntries(given) }),
        returnDisplay: `User answered:\n${shown.map((line) => `  ${line}`).join('\n')}`,
      };
    },
  });
}
