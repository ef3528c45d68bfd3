/**
 * Words the denial of a call, for the model and the user: what was denied, for a command line the part that decided,
 * and why. A question that cannot be asked becomes such a denial.
 */

import { joinSentences } from '../util/join-sentences.ts';
import { toCliName } from './approval-mode.ts';
import type { PolicyVerdict } from './policy-engine.ts';
import { namePart, quoteLine } from './name-part.ts';
import { SHELL_TOOL } from './rule-matching.ts';
import type { PolicyCall, PolicyContext } from './rule.ts';
import { NO_COMMAND, ruleReason } from './rule.ts';

/** `verdict` denies the call, or asks where the user cannot be asked. */
export function withDenialWords(verdict: PolicyVerdict, call: PolicyCall, context: PolicyContext): PolicyVerdict {
  const { rule, part } = verdict;
  if (verdict.decision !== 'deny') {
    const denyMessage = unanswerable(call, verdict, context);
    return { ...verdict, decision: 'deny', unanswerable: true, denyMessage };
  }
  // The built-in denial of commands in a run without a user is a question that cannot be asked.
  const isByRule = rule !== undefined && (verdict.reason === ruleReason(rule) || verdict.reason === NO_COMMAND);
  if (call.toolName === SHELL_TOOL && isByRule && rule.kind === 'builtin' && rule.interactive === false) {
    return { ...verdict, denyMessage: unanswerable(call, withOwnReason(verdict), context) };
  }
  const written = verdict.denyMessage ?? (isByRule ? rule.denyMessage : undefined);
  if (written !== undefined) {
    const about = part === undefined ? undefined : `This is about ${namePart(part)}.`;
    return { ...verdict, denyMessage: joinSentences(written, about) };
  }
  return { ...verdict, denyMessage: `${call.toolName}: ${refusal(call, verdict).replace(/\.$/, '')}.` };
}

/** What the line does, or why it cannot be read, says more than that no rule allows it. */
function withOwnReason(verdict: PolicyVerdict): PolicyVerdict {
  const [problem] = verdict.problems ?? [];
  if (problem !== undefined) return { ...verdict, reason: problem, part: undefined };
  return verdict.reason === NO_COMMAND ? verdict : { ...verdict, reason: 'no rule allows it' };
}

function unanswerable(call: PolicyCall, verdict: PolicyVerdict, { mode }: PolicyContext): string {
  const subject = subjectOf(call, verdict);
  const about = subject === undefined ? '' : ` for ${subject}`;
  return `${call.toolName} needs the user's approval${about} (${verdict.reason.replace(/\.$/, '')}), and a headless run cannot ask (approval mode ${toCliName(mode)}).`;
}

function refusal(call: PolicyCall, verdict: PolicyVerdict): string {
  const subject = subjectOf(call, verdict);
  const { reason } = verdict;
  if (subject === undefined) return reason;
  return reason.startsWith('denied by ') ? `${subject} is ${reason}` : `${subject}: ${reason}`;
}

/** The part of a command line that decided, or the line itself. */
function subjectOf({ toolName, args: { command } }: PolicyCall, { part }: PolicyVerdict): string | undefined {
  if (toolName !== SHELL_TOOL || typeof command !== 'string') return undefined;
  return part === undefined ? quoteLine(command) : namePart(part);
}
