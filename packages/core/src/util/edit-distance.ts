/** How many insertions, deletions, substitutions and swaps of neighbours turn one text into the other. */
export function editDistance(left: string, right: string): number {
  let from = 0;
  while (from < left.length && left[from] === right[from]) from++;
  let [toLeft, toRight] = [left.length, right.length];
  while (toLeft > from && toRight > from && left[toLeft - 1] === right[toRight - 1])
    [toLeft, toRight] = [toLeft - 1, toRight - 1];
  const [a, b] = [left.slice(from, toLeft), right.slice(from, toRight)];
  return a === '' || b === '' ? a.length + b.length : countEdits(a, b);
}

function countEdits(a: string, b: string): number {
  let before: number[] = [];
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const current = [i];
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1];
      let cost = Math.min(previous[j]! + 1, current[j - 1]! + 1, previous[j - 1]! + (same ? 0 : 1));
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) cost = Math.min(cost, before[j - 2]! + 1);
      current.push(cost);
    }
    before = previous;
    previous = current;
  }
  return previous[b.length]!;
}
