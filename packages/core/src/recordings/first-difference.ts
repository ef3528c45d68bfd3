/** The first difference of two texts, as a user reads it: the place in the JSON or the line, and both sides. Pure. */

const AROUND = 60;
const LONGEST = 160;

export interface TextDifference {
  where: string;
  expected: string;
  actual: string;
}

export function firstDifference(expected: string, actual: string): TextDifference {
  const [one, other] = [parse(expected), parse(actual)];
  if (one !== undefined && other !== undefined) {
    const found = inValues(one, other, '');
    if (found) return found;
  }
  return inTexts(expected, actual, '');
}

function inValues(one: unknown, other: unknown, path: string): TextDifference | undefined {
  if (Object.is(one, other)) return undefined;
  if (typeof one === 'string' && typeof other === 'string') return inTexts(one, other, path);
  if (!isObject(one) || !isObject(other) || Array.isArray(one) !== Array.isArray(other))
    return { where: path, expected: show(one), actual: show(other) };
  for (const key of new Set([...Object.keys(one), ...Object.keys(other)])) {
    const at = Array.isArray(one) ? `${path}[${key}]` : path === '' ? key : `${path}.${key}`;
    const found = inValues((one as Record<string, unknown>)[key], (other as Record<string, unknown>)[key], at);
    if (found) return found;
  }
  return undefined;
}

function inTexts(one: string, other: string, path: string): TextDifference {
  let at = 0;
  while (at < one.length && one[at] === other[at]) at += 1;
  const line = one.slice(0, at).split('\n').length;
  const from = Math.max(0, at - AROUND / 2);
  const cut = (text: string) =>
    `${from > 0 ? '…' : ''}${text.slice(from, at + AROUND)}${text.length > at + AROUND ? '…' : ''}`;
  const where = [path, one.includes('\n') || path === '' ? `line ${line}` : ''].filter(Boolean).join(', ');
  return { where, expected: JSON.stringify(cut(one)), actual: JSON.stringify(cut(other)) };
}

function show(value: unknown): string {
  const text = value === undefined ? 'nothing' : JSON.stringify(value);
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
}

function parse(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    // Compared as text.
    return undefined;
  }
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
