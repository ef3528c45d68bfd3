/**
 * Edits as a model would want them, made from any source text: a few whole lines that
 * occur once, and what should stand there instead. Seeded, so that a run can be had again.
 */

export type Random = (below: number) => number;

export interface EditCase {
  content: string;
  old: string;
  replacement: string;
  /** The whole content with the edit made. */
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

/** What is done to the lines of an edit; undefined where it does not apply. */
const CHANGES: readonly ((lines: string[], random: Random) => string[] | undefined)[] = [
  // A block around some of them.
  (lines) => [
    `${indentOf(lines[0]!)}guarded(() => {`,
    ...lines.map((line) => (line.trim() ? `  ${line}` : line)),
    `${indentOf(lines[0]!)}})`,
  ],
  // One more argument.
  (lines) => {
    const at = lines.findIndex((line) => /\w\)/.test(line));
    return at === -1 ? undefined : lines.with(at, lines[at]!.replace(/(\w)\)/, '$1, timeoutInSeconds)'));
  },
  // A name changed wherever it stands.
  (lines, random) => {
    const names = lines.join('\n').match(/[A-Za-z_]{5,}/g);
    const name = names?.[random(names.length)];
    return name === undefined ? undefined : lines.map((line) => line.replaceAll(name, `${name}Next`));
  },
  // Two lines for one.
  (lines, random) => {
    const at = random(lines.length);
    const indent = indentOf(lines[at]!);
    return lines.toSpliced(at, 1, `${indent}prepareEverything(first, second)`, `${indent}finishEverything(third)`);
  },
  // The last lines gone.
  (lines) => (lines.length < 4 ? undefined : lines.slice(0, -2)),
  // A line before all of them.
  (lines) => [`${indentOf(lines[0]!)}announce("about to begin")`, ...lines],
  // Two lines changed places.
  (lines, random) => {
    const at = random(lines.length - 1);
    const [first, second] = [lines[at]!, lines[at + 1]!];
    const isSame = first.trim() === second.trim() || !second.trim() || !first.trim();
    return isSame ? undefined : lines.with(at, second).with(at + 1, first);
  },
  // Something more at the end of a line.
  (lines, random) => {
    const at = random(lines.length);
    return lines[at]!.trim().length < 8 ? undefined : lines.with(at, `${lines[at]!} andSomethingMore`);
  },
];

/** Undefined where the dice fell on lines that make no edit. */
export function makeEdit(content: string, random: Random): EditCase | undefined {
  const lines = content.split('\n');
  const count = 2 + random(8);
  if (lines.length < count + 3) return undefined;
  const start = random(lines.length - count);
  const region = lines.slice(start, start + count);
  const old = region.join('\n');
  const isUsable = region[0]!.trim() !== '' && region.at(-1)!.trim() !== '' && old.length >= 40;
  // What differs by whitespace alone could be meant as well.
  const squeeze = (text: string) => text.replaceAll(/\s+/g, '');
  if (!isUsable || squeeze(content).split(squeeze(old)).length !== 2) return undefined;
  const changed = CHANGES[random(CHANGES.length)]!(region, random)?.join('\n');
  if (changed === undefined || changed === old) return undefined;
  return { content, old, replacement: changed, expected: content.replace(old, () => changed) };
}
