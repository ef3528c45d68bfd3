/** Asks the user about the bounds of a sandbox, with the form that surfaces show for questions of servers. */

import type { AskForServer } from '../protocol/server-questions.ts';
import type { BoundsAnswer, BoundsWish } from '../sandbox/bounds-desk.ts';

const ANSWERS: readonly { value: BoundsAnswer; label: string }[] = [
  { value: 'no', label: 'No' },
  { value: 'once', label: 'Yes, this time' },
  { value: 'session', label: 'Yes, for this session' },
  { value: 'always', label: 'Yes, always in this folder' },
];

/** Undefined where no surface can ask. */
export function createBoundsQuestion(
  ask: AskForServer | undefined,
): ((wish: BoundsWish, signal: AbortSignal) => Promise<BoundsAnswer>) | undefined {
  if (!ask) return undefined;
  return async (wish, signal) => {
    const field = {
      ...{ name: 'answer', title: 'Allow it?', description: '', isRequired: true, isSecret: false },
      ...{ kind: 'choice' as const, preset: 'no', options: ANSWERS },
    };
    const answer = await ask({ type: 'form', server: 'sandbox', message: describe(wish), fields: [field] }, signal);
    const chosen = answer.action === 'accept' ? answer.content?.['answer'] : 'no';
    return ANSWERS.find(({ value }) => value === chosen)?.value ?? 'no';
  };
}

function describe({ kind, what, command }: BoundsWish): string {
  const who = command === undefined ? 'A command' : `\`${command.slice(0, 200)}\``;
  if (kind === 'host') return `${who} wants to connect to ${what}, which the sandbox does not allow.`;
  const verb = kind === 'write' ? 'write to' : 'read';
  return `${who} wanted to ${verb} ${what}, which the sandbox does not allow. If you allow it, Castor takes the failed attempt back and runs the command again.`;
}
