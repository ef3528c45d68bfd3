/** Chooses, of the judgements on the parts of a line, the one that is told as the reason. It changes no decision. */

import type { CommandVerdict, Judgement } from './command-judge.ts';
import type { Leaf } from './shell-leaves.ts';
import { isNarrowed, NO_RULE, ruleReason, STRICTNESS } from '../rule.ts';

/**
 * Of the strictest commands the first with a reason or a rule of its own, else the innermost that a rule for every
 * command decided. `echo $(rm x)` is about `rm x`, whatever is said about echo as well.
 */
export function decidingCommand(commands: readonly CommandVerdict[]): CommandVerdict | undefined {
  let found: CommandVerdict | undefined;
  for (const command of commands) if (found === undefined || outranks(command, found)) found = command;
  return found;
}

function outranks(left: CommandVerdict, right: CommandVerdict): boolean {
  if (left.decision !== right.decision) return STRICTNESS[left.decision] > STRICTNESS[right.decision];
  if (left.decision === 'allow') return false;
  if (isGeneral(left) !== isGeneral(right)) return isGeneral(right);
  if (!isGeneral(left)) return false;
  return left.within.length > right.within.length;
}

function isGeneral(judgement: Judgement): boolean {
  return isRuleAlone(judgement) && (judgement.rule === undefined || !isNarrowed(judgement.rule));
}

/** Whether the reason repeats which rule decided, and nothing about the command. */
export function isRuleAlone({ reason, rule }: Judgement): boolean {
  return reason === (rule === undefined ? NO_RULE : ruleReason(rule));
}

/** The text of a command as a message names it: what a variable stands for is not written in the line. */
export function textOf({ command: { source, words }, parent }: Leaf): string {
  const isWritten = source !== '' && source !== parent?.command.source;
  return isWritten ? source : words.map(({ text }) => text).join(' ');
}
