/**
 * Rows of the bench and their table. A row holds our result and its floor, each as the minimum and the median of the
 * rounds, and is judged by one of the two.
 */

/** The minimum and the median of numbers, or of one field of samples. */
export function sum(samples, key) {
  const values = key === undefined ? samples : samples.map((sample) => sample[key]);
  const sorted = values.toSorted((left, right) => left - right);
  return { min: sorted[0], median: sorted[Math.floor(sorted.length / 2)] };
}

export function median(values) {
  return sum(values).median;
}

/** The value that the given share of the values does not exceed. */
export function quantile(values, share) {
  const sorted = values.toSorted((left, right) => left - right);
  return sorted[Math.ceil(sorted.length * share) - 1];
}

export function ratio(what, unit, ours, floor, target, by = 'min') {
  const reached = { min: ours.min / floor.min, median: ours.median / floor.median };
  const digits = Number.isInteger(target * 10) ? 1 : 2;
  return {
    what,
    unit,
    ours,
    floor,
    target: `≤ ${target.toFixed(digits)} ×`,
    reached,
    sign: '×',
    ok: reached[by] <= target,
  };
}

export function difference(what, unit, ours, floor, target, by = 'min') {
  const reached = { min: ours.min - floor.min, median: ours.median - floor.median };
  return { what, unit, ours, floor, target: `≤ + ${target}`, reached, sign: unit, ok: reached[by] <= target };
}

/** Judged by its own target; the floor, if any, is for comparison. Without a target it is only printed. */
export function limit(what, unit, ours, floor, target, by = 'median') {
  const row = { what, unit, ours, floor, reached: ours, sign: unit };
  return target === undefined ? { ...row, target: 'told' } : { ...row, target: `≤ ${target}`, ok: ours[by] <= target };
}

/** The other way round: at least the target. */
export function atLeast(what, unit, ours, target, by = 'median') {
  return { what, unit, ours, reached: ours, sign: unit, target: `≥ ${target}`, ok: ours[by] >= target };
}

export function print(notes, rows) {
  const header = ['', 'ours (min/median)', 'floor (min/median)', 'target', 'reached', 'median', ''];
  const table = [
    header,
    ...rows.map(({ what, unit, ours, floor, target, reached, sign, ok }) => [
      what,
      `${figure(ours.min)} / ${figure(ours.median)} ${unit}`,
      floor ? `${figure(floor.min)} / ${figure(floor.median)} ${unit}` : '',
      target,
      `${figure(reached.min, sign)} ${sign}`,
      `${figure(reached.median, sign)} ${sign}`,
      ok === undefined ? '' : ok ? 'ok' : 'short',
    ]),
  ];
  const widths = header.map((_, column) => Math.max(...table.map((row) => row[column].length)));
  const lines = table.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column]))
      .join('  ')
      .trimEnd(),
  );
  process.stdout.write(`${notes.join('\n')}\n\n${lines.join('\n')}\n\n`);
}

function figure(value, sign = '') {
  if (sign === '×' || Math.abs(value) < 10) return value.toFixed(2);
  return value.toFixed(Math.abs(value) < 100 ? 1 : 0);
}
