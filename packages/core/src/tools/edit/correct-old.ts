/**
 * A slip in the old text alone: where the new text says what the file says, the old one
 * is corrected to it. What is left of the difference is then what the model believes
 * about the file on both sides.
 */

import type { Alignment } from './align-tokens.ts';
import type { TokenMatch } from './match-tokens.ts';
import { isWord, tokenize, toKey } from './tokens.ts';
import type { Tokens } from './tokens.ts';

export interface AlignedText {
  old: Tokens;
  match: TokenMatch;
}

/** Tokens of the old text `from` to `to` against those of the file `first` to `last`, ends exclusive. */
export interface Difference {
  from: number;
  to: number;
  first: number;
  last: number;
}

export function correctOld(
  { old, match }: AlignedText,
  alignment: Alignment,
  file: Tokens,
  replacement: string,
): AlignedText {
  const said = ` ${tokenize(replacement).keys.join(' ')} `;
  const starts: number[] = [];
  const ends: number[] = [];
  let text = old.text.slice(0, old.starts[0]);
  let done = 0;
  const copy = (until: number) => {
    for (; done < until; done++) {
      text += old.text.slice(old.starts[done], old.starts[done + 1] ?? old.text.length);
      starts.push(match.starts[done]!);
      ends.push(match.ends[done]!);
    }
  };
  for (const difference of findDifferences(old, alignment, file)) {
    const { from, to, first, last } = difference;
    if (!agrees(said, old, file, difference)) continue;
    copy(from);
    if (first < last) text += file.text.slice(file.starts[first], file.ends[last - 1]);
    text += glueAfter(old, file, difference);
    starts.push(...file.starts.slice(first, last));
    ends.push(...file.ends.slice(first, last));
    done = to;
  }
  copy(old.keys.length);
  const corrected = tokenize(text);
  return corrected.keys.length === starts.length ? { old: corrected, match: { starts, ends } } : { old, match };
}

/** The whitespace behind the difference, as the old text has it where it has any. */
function glueAfter(old: Tokens, file: Tokens, { from, to, last }: Difference): string {
  if (to > from) return old.text.slice(old.ends[to - 1], old.starts[to] ?? old.text.length);
  return file.text.slice(file.ends[last - 1], file.starts[last]);
}

/**
 * The one difference there is, corrected whatever the new text says of it; undefined
 * where that says the same as the old one, so that both are wrong about the file.
 */
export function correctSlip(
  { old, match }: AlignedText,
  { from, to, first, last }: Difference,
  file: Tokens,
  replacement: string,
): AlignedText | undefined {
  const said = ` ${tokenize(replacement).keys.join(' ')} `;
  const around = [old.keys[from - 1], ...old.keys.slice(from, to), old.keys[to]];
  if (said.includes(` ${around.filter(Boolean).join(' ')} `)) return undefined;
  const before = from === to ? old.text.slice(0, old.ends[from - 1] ?? 0) : old.text.slice(0, old.starts[from]);
  const lead = from === to && first > 0 ? file.text.slice(file.ends[first - 1], file.starts[first]) : '';
  const found = first < last ? lead + file.text.slice(file.starts[first], file.ends[last - 1]) : '';
  const corrected = tokenize(before + found + old.text.slice(old.ends[to - 1] ?? 0));
  const starts = [...match.starts.slice(0, from), ...file.starts.slice(first, last), ...match.starts.slice(to)];
  const ends = [...match.ends.slice(0, from), ...file.ends.slice(first, last), ...match.ends.slice(to)];
  const isWhole =
    corrected.keys.join(' ') === starts.map((start, at) => toKey(file.text.slice(start, ends[at]))).join(' ');
  return isWhole ? { old: corrected, match: { starts, ends } } : undefined;
}

/** Whether the new text has the file's words here, beside a neighbour, and not the old ones. */
function agrees(said: string, old: Tokens, file: Tokens, { from, to, first, last }: Difference): boolean {
  const join = (keys: readonly (string | undefined)[]) => ` ${keys.filter(Boolean).join(' ')} `;
  const [before, after] = [old.keys[from - 1], old.keys[to]];
  const wanted = old.keys.slice(from, to);
  const found = file.keys.slice(first, last);
  // More than a word or two that the file lacks may stand further on in it.
  const isMore = wanted.length > 2 || !wanted.every((key) => isWord(key) || key === ',' || key === ';');
  if (found.length === 0 && (isMore || before === undefined || after === undefined)) return false;
  const whole = join([before, ...found, after]);
  if (said.replaceAll(whole, ' ').includes(join([before, ...wanted, after]))) return false;
  if (said.includes(whole)) return true;
  // Marks left out by a slip go with the line they end.
  if (wanted.length === 0 && found.every((key) => key === ',' || key === ';'))
    return !said.includes(join([before, after]));
  if (wanted.length === 0 || found.length === 0) return false;
  return said.includes(join([before, ...found])) || said.includes(join([...found, after]));
}

/** Where the old text and the file part ways, in order. */
export function findDifferences(old: Tokens, { partners, first, last }: Alignment, file: Tokens): Difference[] {
  const differences: Difference[] = [];
  let open: Difference | undefined;
  let next = first;
  for (let index = 0; index <= old.keys.length; index++) {
    const partner = index === old.keys.length ? last + 1 : partners[index]!;
    const isEqual = index === old.keys.length || (partner !== -1 && old.keys[index] === file.keys[partner]);
    if (!isEqual) {
      open ??= { from: index, to: index, first: next, last: next };
      continue;
    }
    if (open === undefined && partner > next) open = { from: index, to: index, first: next, last: next };
    if (open !== undefined) differences.push({ ...open, to: index, last: partner });
    open = undefined;
    next = partner + 1;
  }
  return differences;
}
