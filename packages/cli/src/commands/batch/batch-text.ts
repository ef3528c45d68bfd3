/** Batches and results as users read them: tables, one-line summaries, forecasts. Pure. */

import { forecast, OUTCOMES, rateOf } from '@castor/batch';
import type { BatchStatus, TaskResult } from '@castor/batch';
import { countOf } from '@castor/core/program';
import { readableCount, readableDuration } from '../../readable-numbers.ts';

const WORDS: Readonly<Record<string, string>> = {
  success: 'succeeded',
  check_failed: 'check failed',
  failed: 'failed',
  crashed: 'crashed',
  budget: 'without budget',
  cancelled: 'cancelled',
};
const MARKS: Readonly<Record<string, string>> = { success: '✓', check_failed: '✗', failed: '✗', crashed: '✗' };
const NAME_WIDTH = 28;

export function describeCost(cost: number | null): string {
  if (cost === null) return 'cost unknown';
  return cost < 0.01 && cost > 0 ? `$${cost.toFixed(4)}` : `$${cost.toFixed(2)}`;
}

/** `3 of 12 · 2 running · 1 failed · $0.12`. */
export function describeProgress({ total, running, waiting, ended, spent }: BatchStatus): string {
  const counts = OUTCOMES.flatMap((status) => (ended[status] ? [`${ended[status]} ${WORDS[status]}`] : []));
  const done = total - running - waiting;
  const parts = [
    `${done} of ${total}`,
    ...(running > 0 ? [`${running} running`] : []),
    ...counts,
    describeCost(spent.cost),
  ];
  return parts.join(' · ');
}

/** A range, while tasks differ. Undefined while too little is known. */
export function describeForecast(
  status: BatchStatus,
  results: readonly TaskResult[],
  atOnce: number,
): string | undefined {
  const left = status.waiting + status.running;
  const seen = forecast(results, { left, atOnce, spent: status.spent.cost ?? 0 });
  if (!seen) return undefined;
  const time = range(seen.time, readableDuration);
  const cost = seen.cost && seen.cost.high > 0 ? `, ${range(seen.cost, describeCost)} in all` : '';
  return `${describeRate(rateOf(results))}about ${time} left${cost}`;
}

function describeRate(perHour: number | undefined): string {
  if (perHour === undefined) return '';
  return perHour >= 120 ? `${Math.round(perHour / 60)} a minute · ` : `${Math.max(1, Math.round(perHour))} an hour · `;
}

function range({ low, high }: { low: number; high: number }, show: (amount: number) => string): string {
  const [from, to] = [show(low), show(high)];
  return from === to ? from : `${from} to ${to}`;
}

/** One line for a task that has ended. */
export function describeResult(result: TaskResult): string {
  const { id, status, duration_ms, cost_usd, tries, changes, error } = result;
  const facts = [
    WORDS[status] ?? status,
    ...(duration_ms === undefined ? [] : [readableDuration(duration_ms)]),
    ...(cost_usd ? [describeCost(cost_usd)] : []),
    ...(changes ? [`${countOf(changes.files, 'file')} +${changes.added} −${changes.removed}`] : []),
    ...(tries > 1 ? [`${tries} tries`] : []),
  ];
  const why = error && status !== 'success' ? `: ${firstLine(error.message)}` : '';
  return `${MARKS[status] ?? '–'} ${id}  ${facts.join(' · ')}${why}`;
}

/** The table at the end: a row a task, then the sums. */
export function describeTable(status: BatchStatus, results: readonly TaskResult[]): string {
  const rows = [...results].sort((one, other) => one.id.localeCompare(other.id, 'en', { numeric: true }));
  const width = Math.min(NAME_WIDTH, Math.max(4, ...rows.map(({ id }) => id.length)));
  const lines = rows.map((row) => {
    const { id, status: outcome, duration_ms, cost_usd, tries, changes, error, answer } = row;
    const cells = [
      MARKS[outcome] ?? '–',
      fit(id, width),
      (WORDS[outcome] ?? outcome).padEnd(14),
      (duration_ms === undefined ? '' : readableDuration(duration_ms)).padStart(11),
      (cost_usd === null ? '?' : describeCost(cost_usd)).padStart(9),
      String(tries).padStart(5),
      (changes ? `${changes.files}f +${changes.added} −${changes.removed}` : '').padEnd(14),
      fit(firstLine(error && outcome !== 'success' ? error.message : (answer ?? '')), 60).trimEnd(),
    ];
    return cells.join(' ').trimEnd();
  });
  const header = [
    '',
    'task'.padEnd(width),
    'result'.padEnd(14),
    'time'.padStart(11),
    'cost'.padStart(9),
    'tries'.padStart(5),
  ];
  const tokens = `${readableCount(status.spent.tokens)} tokens`;
  const sums = `${describeProgress(status)} · ${tokens}`;
  const table = lines.length === 0 ? [] : [`  ${header.slice(1).join(' ')} changes`, ...lines, ''];
  return [...table, sums, ''].join('\n');
}

function fit(text: string, width: number): string {
  return text.length > width ? `${text.slice(0, width - 1)}…` : text.padEnd(width);
}

function firstLine(text: string): string {
  return text.trim().split('\n')[0] ?? '';
}
