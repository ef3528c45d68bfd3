/** Evals and comparisons as users read them. Pure. */

import { countOf } from '@castor/core/program';
import { readableCount, readableDuration } from '../../readable-numbers.ts';
import { describeCost } from '../batch/batch-text.ts';
import type { Amount, Comparison, TaskChange } from './compare.ts';
import type { EvalResults } from './eval-results.ts';
import type { Change, Interval } from './statistics.ts';
import type { Summary } from './summarise.ts';

const MOST_GROUPS = 12;
const MOST_NAMES = 6;

/** A row for each model with each prompt, then failures by cause and tasks that flip. */
export function describeSummaries(results: EvalResults, summaries: readonly Summary[]): string {
  const { suite, tasks, tries } = results;
  const head = `${suite}: ${countOf(Object.keys(tasks).length, 'task')}, ${countTries(tries)} each`;
  return [head, '', ...table(summaries), ...summaries.flatMap((each) => details(each, summaries.length)), ''].join(
    '\n',
  );
}

function table(summaries: readonly Summary[]): string[] {
  const ks = [...new Set(summaries.flatMap(({ passAt }) => Object.keys(passAt)))].filter((k) => k !== '1');
  const header = ['model', 'prompt', 'passed', 'rate', '95 %', ...ks.map((k) => `pass@${k}`)];
  const amounts = ['cost/try', 'cost/pass', 'time', 'tokens', 'turns'];
  const rows = summaries.map(({ model, prompt, passed, tries, passAt, ...means }) => [
    ...[model, prompt, `${tries.passed}/${tries.total}`],
    ...(passed ? [percent(passed.rate), interval(passed)] : ['–', '–']),
    ...ks.map((k) => (passAt[k] === undefined ? '–' : percent(passAt[k]))),
    means.cost_usd === null ? '?' : describeCost(means.cost_usd),
    means.cost_per_success_usd === null ? '?' : describeCost(means.cost_per_success_usd),
    means.duration_ms === null ? '–' : readableDuration(means.duration_ms),
    means.tokens === null ? '–' : readableCount(Math.round(means.tokens)),
    means.turns === null ? '–' : means.turns.toFixed(1),
  ]);
  return aligned([[...header, ...amounts], ...rows], 2);
}

function details({ model, prompt, failures, flips, unjudged }: Summary, count: number): string[] {
  const of = count > 1 ? ` of ${model} with ${prompt}` : '';
  const groups = failures
    .slice(0, MOST_GROUPS)
    .map((group) => `  ${group.count}×  ${group.cause}  (${named(group.tasks)})`);
  const more = failures.length > MOST_GROUPS ? [`  and ${failures.length - MOST_GROUPS} more causes`] : [];
  const changing = flips.map(({ task, passed, total }) => `  ${task}  ${passed} of ${total} passed`);
  return [
    ...(groups.length > 0 ? ['', `Failures${of}, by cause:`, ...groups, ...more] : []),
    ...(changing.length > 0 ? ['', `Tasks${of} that flip between tries:`, ...changing] : []),
    ...(unjudged > 0 ? ['', `${countTries(unjudged)}${of} not judged: budget spent or cancelled.`] : []),
  ];
}

/** What differs, and whether it is more than noise. */
export function describeComparison(comparison: Comparison, alpha: number): string {
  const { before, after, tasks, passed, changes, amounts } = comparison;
  const isSame = before.model === after.model && before.prompt === after.prompt;
  const [one, other] = [before, after].map(({ model, prompt }) => `${model} with ${prompt}`);
  const title = isSame ? (one ?? '') : `${one} → ${other}`;
  const verdict =
    passed.direction === 'same' ? 'no difference beyond noise' : `${passed.direction.toUpperCase()} beyond noise`;
  const lines = [
    `${title}, ${countOf(tasks, 'task')}`,
    `  passed  ${percent(passed.before)} → ${percent(passed.after)}  ${verdict} (p = ${probability(passed.probability)}, limit ${alpha})`,
    ...Object.entries(amounts).map(([name, change]) => describeAmount(name as Amount, change)),
  ];
  const of = (direction: string) => changes.filter((change) => change.direction === direction);
  for (const [direction, word] of [
    ['worse', 'Worse'],
    ['better', 'Better'],
  ] as const)
    if (of(direction).length > 0) lines.push(`  ${word}:`, ...of(direction).map(describeChange));
  return [...lines, ...leftOut(comparison), ''].join('\n');
}

function describeAmount(name: Amount, { factor, isBeyondNoise, ...range }: Change): string {
  const change = `${signed(factor)} (95 %: ${signed(range.low)} to ${signed(range.high)})`;
  const verdict = isBeyondNoise
    ? factor > 1
      ? 'more beyond noise'
      : 'less beyond noise'
    : 'no difference beyond noise';
  return `  ${name.padEnd(6)}  ${change}  ${verdict}`;
}

function describeChange({ task, before, after, isBeyondNoise, probability: chance }: TaskChange): string {
  const verdict = isBeyondNoise ? 'beyond noise' : 'within noise';
  return `    ${task}  ${before.passed}/${before.total} → ${after.passed}/${after.total}  ${verdict} (p = ${probability(chance)})`;
}

function leftOut({ changedTasks, onlyBefore, onlyAfter }: Comparison): string[] {
  return [
    ...(changedTasks.length > 0 ? [`  Not compared, the task itself changed: ${named(changedTasks)}`] : []),
    ...(onlyBefore.length > 0 ? [`  Only in the first: ${named(onlyBefore)}`] : []),
    ...(onlyAfter.length > 0 ? [`  Only in the second: ${named(onlyAfter)}`] : []),
  ];
}

export function countTries(count: number): string {
  return `${count} ${count === 1 ? 'try' : 'tries'}`;
}

function named(names: readonly string[]): string {
  const more = names.length - MOST_NAMES;
  return `${names.slice(0, MOST_NAMES).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

function aligned(rows: readonly (readonly string[])[], left: number): string[] {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => (row[column] ?? '').length)));
  return rows.map((row) =>
    row
      .map((cell, column) => (column < left ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0)))
      .join('  ')
      .trimEnd(),
  );
}

function percent(share: number): string {
  return `${Math.round(share * 1000) / 10} %`;
}

function interval({ low, high }: Interval): string {
  return `${Math.round(low * 100)}–${Math.round(high * 100)} %`;
}

function signed(factor: number): string {
  const change = Math.round((factor - 1) * 1000) / 10;
  return `${change < 0 ? '−' : '+'}${Math.abs(change)} %`;
}

function probability(chance: number): string {
  return chance < 0.001 ? '<0.001' : chance.toFixed(3);
}
