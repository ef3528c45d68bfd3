import { failure } from './command.ts';
import type { SlashCommand } from './command.ts';

export const copy: SlashCommand = {
  name: 'copy',
  description: 'Copies the last answer to the clipboard.',
  source: 'builtin',
  runsWhileBusy: true,
  run({ agent }) {
    const answer = agent.chat.getHistory().findLast(({ role, parts }) => role === 'model' && parts?.some(isWords));
    const text = (answer?.parts ?? [])
      .filter(isWords)
      .map((part) => part.text)
      .join('');
    return text === '' ? failure('No answer to copy yet.') : { type: 'copy_text', text };
  },
};

function isWords({ text, thought }: { text?: string; thought?: boolean }): boolean {
  return text !== undefined && text !== '' && !thought;
}
