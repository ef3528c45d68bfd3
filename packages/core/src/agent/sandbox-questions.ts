/** Asks the user about the bounds of a sandbox, with the form that surfaces show for questions of servers. */

import type { AskForServer } from '../protocol/server-questions.ts';
import type { BoundsAnswer, BoundsWish, ConfirmedWish } from '../sandbox/bounds-desk.ts';

const ANSWERS: readonly { value: BoundsAnswer; label: string }[] = [
  { value: 'no', label: 'No' },
  { value: 'once', label: 'Yes, this time' },
  { value: 'session', label: 'Yes, for this session' },
  { value: 'always', label: 'Yes, always in this folder' },
];

/** Leaving and deleting are allowed for one command only. */
const CONFIRMED = ANSWERS.slice(0, 2);

/** Undefined where no surface can ask. */
export function createBoundsQuestion(
  ask: AskForServer | undefined,
): ((wish: BoundsWish | ConfirmedWish, signal: AbortSignal) => Promise<BoundsAnswer>) | undefined {
  if (!ask) return undefined;
  return async (wish, signal) => {
    const options = wish.kind === 'leave' || wish.kind === 'delete' ? CONFIRMED : ANSWERS;
    const field = {
      ...{ name: 'answer', title: 'Allow it?', description: '', isRequired: true, isSecret: false },
      ...{ kind: 'choice' as const, preset: 'no', options },
    };
    const form = { type: 'form', server: 'sandbox', ownTitle: titleOf(wish), message: describe(wish) } as const;
    const answer = await ask({ ...form, fields: [field] }, signal);
    const chosen = answer.action === 'accept' ? answer.content?.['answer'] : 'no';
    return options.find(({ value }) => value === chosen)?.value ?? 'no';
  };
}

/** What a yes means: a command that deletes stays within its bounds. */
function titleOf({ kind }: BoundsWish | ConfirmedWish): string {
  return kind === 'delete' ? 'Delete for good' : 'Leave the sandbox';
}

function describe({ kind, what, command }: BoundsWish | ConfirmedWish): string {
  // Whole: a yes is for all of it.
  const who = command === undefined ? 'A command' : `\`${command}\``;
  if (kind === 'leave') return `${who} wants to run outside the sandbox, with all that you may do on this computer.`;
  if (kind === 'delete') return `${who} deletes or overwrites ${what}. This cannot be undone.`;
  if (kind === 'host') return `${who} wants to connect to ${what}, which the sandbox does not allow.`;
  const verb = kind === 'write' ? 'write to' : 'read';
  return `${who} wanted to ${verb} ${what}, which the sandbox does not allow. If you allow it, Castor takes the failed attempt back and runs the command again.`;
}
