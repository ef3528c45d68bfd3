/** Completes what is told about a command line that did not simply pass: a question names the part, a denial also the remedy. */

import type { UserHints } from '../protocol/user-hints.ts';
import { joinSentences } from '../util/join-sentences.ts';
import { findRemedy } from './find-remedy.ts';
import { namePart } from './name-part.ts';
import type { PolicyEngine, PolicyVerdict } from './policy-engine.ts';
import type { PolicyCall, PolicyContext } from './rule.ts';

/** Without a part and a remedy the verdict stays as it is. */
export async function tellCommand(
  verdict: PolicyVerdict,
  call: PolicyCall,
  { engine, hints, ...context }: PolicyContext & { engine: PolicyEngine; hints: UserHints | undefined },
): Promise<PolicyVerdict> {
  const { decision, part, denyMessage, reason } = verdict;
  if (decision === 'ask_user')
    return part === undefined ? verdict : { ...verdict, reason: `${namePart(part)}: ${reason}` };
  if (context.interactive || denyMessage === undefined || !hints?.allowCommand) return verdict;
  const remedy = await findRemedy(call, verdict, { engine, mode: context.mode });
  return { ...verdict, denyMessage: joinSentences(denyMessage, remedy && (await hints.allowCommand(remedy))) };
}
