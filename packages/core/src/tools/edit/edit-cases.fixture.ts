/**
 * Generates realistic edits from any source text: a few whole lines that occur once, and
 * their replacement. Seeded, so that a run can be repeated.
 */

export type Random = (below: number) => number;

export interface EditCase {
  content: string;
  old: string;
  replacement: string;
  /** The whole content after the edit. */
  expected: string;
}

export function createRandom(seed: number): Random {
  let state = seed;
  return (below) => {
    state = (state * 48_271) % 2_147_483_647;
    return state % below;
  };
}

const indentOf = (line: string) => /^\s*/.exec(line)![0];

/** The changes applied to the lines of an edit; each returns undefined when it does not apply. */
const CHANGES: readonly ((lines: string[], random: Random) => string[] | undefined)[] = [
  // Wrap some lines in a block.
  (lines) => [
    `${indentOf(lines[0]!)}guarded(() => {`,
    ...lines.map((line) => (line.trim() ? `  ${line}` : line)),
    `${indentOf(lines[0]!)}})`,
  ],
  // Add an argument.
  (lines) => {
    const at = lines.findIndex((line) => /\w\)/.test(line));
    return at === -1 ? undefined : lines.with(at, lines[at]!.replace(/(\w)\)/, '$1, timeoutInSeconds)'));
  },
  // Rename an identifier everywhere.
  (lines, random) => {
    const names = lines.join('\n').match(/[A-Za-z_]{5,}/g);
    const name = names?.[random(names.length)];
    return name === undefined ? undefined : lines.map((line) => line.replaceAll(name, `${name}Next`));
  },
  // Replace one line with two.
  (lines, random) => {
    const at = random(lines.length);
    const indent = indentOf(lines[at]!);
    return lines.toSpliced(at, 1, `${indent}prepareEverything(first, second)`, `${indent}finishEverything(third)`);
  },
  // Remove the last lines.
  (lines) => (lines.length < 4 ? undefined : lines.slice(0, -2)),
  // Insert a line before the first.
  (lines) => [`${indentOf(lines[0]!)}announce("about to begin")`, ...lines],
  // Swap two lines.
  (lines, random) => {
    const at = random(lines.length - 1);
    const [first, second] = [lines[at]!, lines[at + 1]!];
    const isSame = first.trim() === second.trim() || !second.trim() || !first.trim();
    return isSame ? undefined : lines.with(at, second).with(at + 1, first);
  },
  // Append to the end of a line.
  (lines, random) => {
    const at = random(lines.length);
    return lines[at]!.trim().length < 8 ? undefined : lines.with(at, `${lines[at]!} andSomethingMore`);
  },
];

/** Undefined when the random choice gives no valid edit. */
export function makeEdit(content: string, random: Random): EditCase | undefined {
  const lines = content.split('\n');
  const count = 2 + random(8);
  if (lines.length < count + 3) return undefined;
  const start = random(lines.length - count);
  const region = lines.slice(start, start + count);
  const old = region.join('\n');
  const isUsable = region[0]!.trim() !== '' && region.at(-1)!.trim() !== '' && old.length >= 40;
  // Text that differs only in whitespace would make the edit ambiguous.
  const squeeze = (text: string) => text.replaceAll(/\s+/g, '');
  if (!isUsable || squeeze(content).split(squeeze(old)).length !== 2) return undefined;
  const changed = CHANGES[random(CHANGES.length)]!(region, random)?.join('\n');
  if (changed === undefined || changed === old) return undefined;
  return { content, old, replacement: changed, expected: content.replace(old, () => changed) };
}
