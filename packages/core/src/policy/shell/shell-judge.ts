/**
 * Decides on a shell line: each of its commands gets a decision, and the strictest wins.
 * An unreadable line is allowed only in yolo mode, and not when it mentions anything
 * protected.
 */

import { CommandJudge } from './command-judge.ts';
import type { CommandVerdict, JudgeOptions, Judgement } from './command-judge.ts';
import { isEnvironmentPlace, mentionsEnvironmentFile } from '../protected-mentions.ts';
import { decidingCommand, isRuleAlone, textOf } from './deciding-part.ts';
import type { PolicyDecision, PolicyRule } from '../rule.ts';
import { isNarrowed, NO_COMMAND, ruleReason, stricter } from '../rule.ts';
import { isTolerable } from './shell-line.ts';
import { protectedWrites } from './shell-effects.ts';
import { treeDeletions } from './tree-deletions.ts';
import type { Leaf, ShellReading } from './shell-leaves.ts';
import type { UnnamedWrite } from './unnamed-writes.ts';

export interface LineVerdict extends Judgement {
  /** The part that decided; absent when it is the whole line. */
  part?: string | undefined;
  commands: CommandVerdict[];
  problems: readonly string[];
  /** Whether the line was seen to write a file of environment variables, or may do so; not checked in yolo mode. */
  writesEnvironment: boolean;
}

export function judgeLine(
  source: string,
  reading: ShellReading,
  options: JudgeOptions,
  unnamed: readonly UnnamedWrite[],
): LineVerdict {
  const judge = new CommandJudge(options, reading.leaves);
  const commands = judge.commands(reading.leaves);
  const writes = protectedWrites(reading.leaves, source, options);
  const writesEnvironment =
    unnamed.length > 0 || writes.some(({ place }) => isEnvironmentPlace(place) || mentionsEnvironmentFile(source));
  const facts = { commands, problems: reading.problems, writesEnvironment };
  let verdict: LineVerdict = { ...strictest(commands, options), ...facts };
  const tighten = (decision: PolicyDecision, reason: string, leaf?: Leaf, rule?: PolicyRule) => {
    const part = leaf && textOf(leaf);
    if (stricter(decision, verdict.decision) !== verdict.decision) verdict = { decision, reason, part, rule, ...facts };
    // What the line does says more than that no rule of the user allows it.
    else if (decision === verdict.decision && isUntold(verdict) && (verdict.rule?.kind ?? 'builtin') === 'builtin')
      verdict = { ...verdict, reason, part };
  };
  for (const deletion of treeDeletions(reading.leaves, options)) {
    if (!judge.isExplicit(deletion.leaf, deletion.place))
      tighten(deletion.refused ? 'deny' : 'ask_user', deletion.reason, deletion.leaf);
  }
  for (const write of writes) {
    if (!judge.isExplicit(write.leaf, write.place)) tighten('ask_user', write.reason, write.leaf);
  }
  for (const { leaf, place, word, reason, isSeen } of unnamed) {
    if (judge.isExplicit(leaf, place) || judge.isSpelled(leaf, word)) continue;
    tighten('ask_user', reason, leaf);
    // The user answered before without knowing it.
    if (isSeen && verdict.decision === 'ask_user') verdict = { ...verdict, reason, part: textOf(leaf) };
  }
  for (const problem of reading.problems) {
    if (!isTolerable(problem) || !judge.mayRunUnread(source)) tighten('ask_user', problem);
  }
  const spanning = judge.spanningRule(source, commands);
  if (spanning !== undefined) tighten(spanning.decision, ruleReason(spanning), undefined, spanning);
  const isWhole = verdict.decision === 'allow' || verdict.part?.trim() === source.trim();
  return isWhole ? { ...verdict, part: undefined } : verdict;
}

/** Whether the reason says nothing about what the line does. */
function isUntold(verdict: Judgement): boolean {
  return isRuleAlone(verdict) || verdict.reason === NO_COMMAND;
}

function strictest(
  commands: readonly CommandVerdict[],
  options: JudgeOptions,
): Pick<LineVerdict, 'decision' | 'reason' | 'part' | 'rule'> {
  const deciding = decidingCommand(commands);
  if (deciding === undefined) {
    const rule = options.rules.find((candidate) => !isNarrowed(candidate));
    return { decision: rule?.decision ?? 'ask_user', reason: NO_COMMAND, rule };
  }
  const { decision, reason, command, rule } = deciding;
  return { decision, reason, part: command, rule };
}
