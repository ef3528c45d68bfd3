/**
 * Decides on a shell line: each of its commands gets a decision, and the strictest wins.
 * An unreadable line is allowed only in yolo mode, and not when it mentions anything
 * protected.
 */

import { CommandJudge } from './command-judge.ts';
import type { CommandVerdict, JudgeOptions, Judgement } from './command-judge.ts';
import { isEnvironmentPlace, mentionsEnvironmentFile } from '../protected-mentions.ts';
import type { PolicyDecision, PolicyRule } from '../rule.ts';
import { isNarrowed, ruleReason, stricter } from '../rule.ts';
import { isTolerable } from './shell-line.ts';
import { protectedWrites } from './shell-effects.ts';
import { treeDeletions } from './tree-deletions.ts';
import type { ShellReading } from './shell-leaves.ts';
import type { UnnamedWrite } from './unnamed-writes.ts';

export interface LineVerdict extends Judgement {
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
  const tighten = (decision: PolicyDecision, reason: string, rule?: PolicyRule) => {
    if (stricter(decision, verdict.decision) === verdict.decision) return;
    verdict = { decision, reason, rule, ...facts };
  };
  for (const deletion of treeDeletions(reading.leaves, options)) {
    if (!judge.isExplicit(deletion.leaf, deletion.place))
      tighten(deletion.refused ? 'deny' : 'ask_user', deletion.reason);
  }
  for (const write of writes) {
    if (!judge.isExplicit(write.leaf, write.place)) tighten('ask_user', write.reason);
  }
  for (const { leaf, place, word, reason, isSeen } of unnamed) {
    if (judge.isExplicit(leaf, place) || judge.isSpelled(leaf, word)) continue;
    tighten('ask_user', reason);
    // The user answered before without knowing it.
    if (isSeen && verdict.decision === 'ask_user') verdict = { ...verdict, reason };
  }
  for (const problem of reading.problems) {
    if (!isTolerable(problem) || !judge.mayRunUnread(source)) tighten('ask_user', problem);
  }
  const spanning = judge.spanningRule(source, commands);
  if (spanning !== undefined) tighten(spanning.decision, ruleReason(spanning), spanning);
  return verdict;
}

function strictest(
  commands: readonly CommandVerdict[],
  options: JudgeOptions,
): Pick<LineVerdict, 'decision' | 'reason' | 'rule'> {
  const [first, ...rest] = commands;
  if (first === undefined) {
    const rule = options.rules.find((candidate) => !isNarrowed(candidate));
    return {
      decision: rule?.decision ?? 'ask_user',
      reason: 'it contains no command',
      rule,
    };
  }
  const worst = rest.reduce(
    (left, right) => (stricter(left.decision, right.decision) === left.decision ? left : right),
    first,
  );
  return { decision: worst.decision, reason: worst.reason, rule: worst.rule };
}
