/**
 * Places an edit whose old text does not occur exactly, in the one place that is clearly
 * intended. It corrects the model's errors about the file in both texts, then applies an
 * exact edit. All equally likely readings of the place must give the same result, or the
 * edit is rejected.
 */

import { applyToText } from '../files/text-file.ts';
import type { Splice } from '../files/text-file.ts';
import { alignTokens } from './align-tokens.ts';
import type { Alignment } from './align-tokens.ts';
import { carryOver } from './carry-over.ts';
import { isCutShort, joinsLines, repeatsNeighbour } from './check-ends.ts';
import { findDifferences } from './differences.ts';
import { findFuzzy, tokensOf } from './find-fuzzy.ts';
import type { FuzzyPlace } from './find-fuzzy.ts';
import { areSlips } from './judge-differences.ts';
import { lineOf } from './line-index.ts';
import type { LineIndex } from './line-index.ts';
import type { EditPlacement } from './edit-placement.ts';
import { reachEnds } from './reach-ends.ts';
import { reconcile } from './reconcile.ts';
import { tokenize } from './tokens.ts';
import type { Tokens } from './tokens.ts';
import type { EditTexts } from './variants.ts';

export function placeFuzzy(index: LineIndex, { old, replacement }: EditTexts): EditPlacement {
  const { place, nearest } = findFuzzy(index, tokenize(old), tokenize(replacement));
  const splices = place && spliceAll(index, place, { old, replacement });
  if (splices !== undefined) {
    const line = lineOf(index, place!.file.starts[place!.from]!) + 1;
    return { kind: 'placed', strategy: 'fuzzy', splices, occurrences: 1, lines: [line] };
  }
  if (nearest === undefined) return { kind: 'missing' };
  const firstLine = lineOf(index, nearest.file.starts[nearest.from]!) + 1;
  return { kind: 'missing', nearest: { firstLine, lastLine: lineOf(index, nearest.file.ends[nearest.to - 1]!) + 1 } };
}

/** Undefined when another, nearly as likely reading of the place gives a different result. */
function spliceAll(index: LineIndex, place: FuzzyPlace, texts: EditTexts): Splice[] | undefined {
  const splices = spliceAt(index, place, texts);
  if (splices === undefined) return undefined;
  const isOpen = place.others
    .filter(({ from, to }) => from < to)
    .map((other) => spliceAt(index, { file: place.file, ...other }, texts))
    .some((other) => other !== undefined && !areSame(index.content, other, splices));
  return isOpen ? undefined : splices;
}

type Part = Pick<FuzzyPlace, 'file' | 'from' | 'to'>;

/** Undefined when the place or the change is ambiguous. */
function spliceAt(index: LineIndex, place: Part, { old, replacement }: EditTexts): Splice[] | undefined {
  const isEscaped = !old.includes('\n') && old.includes('\\n');
  const next = tokenize(replacement);
  const reach = reachEnds({ old: tokenize(old), ...place }, next, true);
  const file = tokensOf(reach);
  if (isCutShort(reach, next) || repeatsNeighbour(reach, next)) return undefined;
  if (joinsLines(index.content, file.starts[0]!, reach.old.text, replacement)) return undefined;
  // One line in one text and several in the other: its line breaks were escaped, and so are those it would insert.
  if (isEscaped && index.content.slice(file.starts[0], file.ends.at(-1)).includes('\n')) return undefined;
  const readings = alignTokens(reach.old, file) ?? [];
  const results = readings.flatMap((alignment) =>
    [false, true].map((pairsLate) =>
      spliceReading(index.content, { old: reach.old, file, alignment, replacement, pairsLate }),
    ),
  );
  const [first] = results;
  if (first === undefined) return undefined;
  return results.every((splices) => splices && areSame(index.content, splices, first)) ? first : undefined;
}

/** Whether two lists of splices give the same text. */
function areSame(content: string, a: readonly Splice[], b: readonly Splice[]): boolean {
  const all = [...a, ...b];
  const from = Math.min(...all.map(({ start }) => start));
  const part = content.slice(from, Math.max(...all.map(({ end }) => end)));
  const apply = (splices: readonly Splice[]) =>
    applyToText(
      part,
      splices.map(({ start, end, replacement }) => ({ start: start - from, end: end - from, replacement })),
    );
  return all.length === 0 || apply(a) === apply(b);
}

interface Reading {
  old: Tokens;
  /** Only the candidate part. */
  file: Tokens;
  alignment: Alignment;
  replacement: string;
  pairsLate: boolean;
}

function spliceReading(content: string, reading: Reading): Splice[] | undefined {
  const { old, file, alignment, replacement, pairsLate } = reading;
  const differences = findDifferences(old, alignment, file);
  const reconciled = reconcile(old, replacement, file, differences, pairsLate);
  if (reconciled === undefined || !areSlips({ content, old, file }, differences, reconciled)) return undefined;
  return carryOver(content, { starts: file.starts, ends: file.ends }, reconciled.old, reconciled.replacement);
}
