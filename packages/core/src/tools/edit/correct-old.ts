/**
 * A slip in the old text alone: where the new text says what the file says, the old one
 * is corrected to it. What is left of the difference is then what the model believes
 * about the file on both sides.
 */

import type { Alignment } from './align-tokens.ts';
import type { TokenMatch } from './match-tokens.ts';
import { tokenize } from './tokens.ts';
import type { Tokens } from './tokens.ts';

export interface AlignedText {
  old: Tokens;
  match: TokenMatch;
}

/** Tokens of the old text `from` to `to` against those of the file `first` to `last`, ends exclusive. */
interface Difference {
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

/** Whether the new text has the file's words here, beside a neighbour, and not the old ones. */
function agrees(said: string, old: Tokens, file: Tokens, { from, to, first, last }: Difference): boolean {
  const join = (keys: readonly (string | undefined)[]) => ` ${keys.filter(Boolean).join(' ')} `;
  const [before, after] = [old.keys[from - 1], old.keys[to]];
  const wanted = old.keys.slice(from, to);
  const found = file.keys.slice(first, last);
  const whole = join([before, ...found, after]);
  if (said.replaceAll(whole, ' ').includes(join([before, ...wanted, after]))) return false;
  if (said.includes(whole)) return true;
  if (wanted.length === 0 || found.length === 0) return false;
  return said.includes(join([before, ...found])) || said.includes(join([...found, after]));
}

function findDifferences(old: Tokens, { partners, first, last }: Alignment, file: Tokens): Difference[] {
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
