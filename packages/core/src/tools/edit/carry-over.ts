/**
 * Applies the model's change to the text in the file's own form. Where the old and the new
 * text agree, the file keeps its form (spaces, quotes, line breaks, undecodable bytes);
 * where they differ, the new text is inserted with the indentation of its surroundings.
 * The result equals the new text token for token.
 */

import type { Splice } from '../files/text-file.ts';
import { indentationAt, indentationPairs, isIndentedAsFile, pairAsIndented } from './compare-indentation.ts';
import { createIndentationMap } from './indentation.ts';
import type { IndentationMap } from './indentation.ts';
import { isSpaceAt, tokenize } from './tokens.ts';
import type { Tokens } from './tokens.ts';
import type { TokenMatch } from './match-tokens.ts';

/** A part of the result: a range of the file, or inserted text. */
type Piece = { from: number; to: number } | { text: string };

/** The splices that turn the matched part of `content` into `replacement`. */
export function carryOver(content: string, match: TokenMatch, old: Tokens, replacement: string): Splice[] {
  const edges = findEdges(content, match, old);
  const next = tokenize(replacement);
  const partners = pairAsIndented(content, match, old, next);
  const near = nearestPlaces(partners);
  const pairs = indentationPairs(content, match, old);
  const asFile = isIndentedAsFile(pairs, next, partners);
  const mapIndentation = createIndentationMap(asFile ? [] : pairs);
  // When the old text begins with a word, the file keeps the indentation before it.
  const keepsLead = old.starts[0] === 0 && (indentationAt(content, match.starts[0]!) ?? '') !== '';
  const pieces: Piece[] = [];
  let kept = edges.from;
  const count = next.keys.length;

  /** Adds the whitespace before token `index` of the new text (or after its last token). */
  function addGlue(index: number): void {
    const glue = replacement.slice(
      index === 0 ? 0 : next.ends[index - 1],
      index === count ? undefined : next.starts[index],
    );
    if (index === 0 && keepsLead && !glue.includes('\n')) return;
    const before = index === 0 ? -1 : partners[index - 1];
    const after = index === count ? old.keys.length : partners[index];
    const isWhole = before !== undefined && after === before + 1;
    const own = [after, before === undefined ? undefined : before + 1].find(
      (place) =>
        place !== undefined &&
        fileGlue(place).from >= kept &&
        isEdge(place) === (index === 0 || index === count) &&
        isSame(glue, place, isWhole),
    );
    if (own !== undefined) {
      const { from, to } = fileGlue(own);
      pieces.push({ from, to });
      kept = to;
    } else pieces.push({ text: reindent(glue, index === 0, mapIndentation, near[index]!) });
  }

  function isEdge(place: number): boolean {
    return place === 0 || place === old.keys.length;
  }

  /**
   * Whether the file's whitespace stays: the new text has the same, or repeats that of the
   * old text. Next to a change only line breaks count as repeated.
   */
  function isSame(glue: string, place: number, isWhole: boolean): boolean {
    const { from, to } = fileGlue(place);
    if (glue === content.slice(from, to) && !isOtherInFile(glue)) return true;
    if (asFile && glue.includes('\n')) return false;
    return glue === glueOf(old, place) && (isWhole || glue.includes('\n') || isEdge(place));
  }

  /** Whether the model's indentation maps to a different one in the file; that the file has the same here is then a coincidence. */
  function isOtherInFile(glue: string): boolean {
    const indentation = glue.slice(glue.lastIndexOf('\n') + 1);
    const isLine = glue.includes('\n') && !asFile;
    return isLine && pairs.some(({ wanted, found }) => wanted === indentation && found !== wanted);
  }

  function fileGlue(place: number): { from: number; to: number } {
    return {
      from: place === 0 ? edges.from : match.ends[place - 1]!,
      to: place === match.starts.length ? edges.to : match.starts[place]!,
    };
  }

  for (let index = 0; index < count; index++) {
    addGlue(index);
    const partner = partners[index];
    if (partner === undefined) pieces.push({ text: replacement.slice(next.starts[index], next.ends[index]) });
    else {
      pieces.push({ from: match.starts[partner]!, to: match.ends[partner]! });
      kept = match.ends[partner]!;
    }
  }
  addGlue(count);
  return toSplices(content, pieces, edges);
}

/** Extends the match into the surrounding whitespace as far as the old text does. */
function findEdges(content: string, match: TokenMatch, old: Tokens): { from: number; to: number } {
  let from = match.starts[0]!;
  let lines = countLines(glueOf(old, 0));
  if (old.starts[0]! > 0) {
    while (from > 0 && isSpaceAt(content, from - 1) && (content[from - 1] !== '\n' || lines-- > 0)) from--;
  }
  let to = match.ends.at(-1)!;
  const trailing = glueOf(old, old.keys.length);
  lines = countLines(trailing);
  if (trailing !== '') {
    const ends = trailing.endsWith('\n');
    while (to < content.length && isSpaceAt(content, to)) {
      if (content[to] === '\n' && lines-- <= 0) break;
      to++;
      if (ends && lines === 0) break;
    }
  }
  return { from, to };
}

function countLines(glue: string): number {
  return glue.split('\n').length - 1;
}

function glueOf(tokens: Tokens, place: number): string {
  return tokens.text.slice(place === 0 ? 0 : tokens.ends[place - 1], tokens.starts[place] ?? tokens.text.length);
}

function reindent(glue: string, isFirst: boolean, mapIndentation: IndentationMap, near: number): string {
  const lineStart = glue.lastIndexOf('\n') + 1;
  if (lineStart === 0 && !isFirst) return glue;
  return glue.slice(0, lineStart) + mapIndentation(glue.slice(lineStart), near);
}

/** Maps each position in the new text to the nearest position in the old text. */
function nearestPlaces(partners: readonly (number | undefined)[]): number[] {
  const places = Array.from<number>({ length: partners.length + 1 }).fill(0);
  const distances = places.map(() => Infinity);
  for (let index = 1, distance = Infinity, place = 0; index <= partners.length; index++) {
    const partner = partners[index - 1];
    [distance, place] = partner === undefined ? [distance + 1, place] : [1, partner];
    [distances[index], places[index]] = [distance, place];
  }
  for (let index = partners.length - 1, distance = Infinity, place = 0; index >= 0; index--) {
    const partner = partners[index];
    [distance, place] = partner === undefined ? [distance + 1, place] : [0, partner];
    if (distance <= distances[index]!) [distances[index], places[index]] = [distance, place];
  }
  return places;
}

function toSplices(content: string, pieces: readonly Piece[], edges: { from: number; to: number }): Splice[] {
  const splices: Splice[] = [];
  let position = edges.from;
  let replacement = '';
  const flush = (until: number) => {
    if (replacement !== content.slice(position, until)) splices.push({ start: position, end: until, replacement });
    replacement = '';
  };
  for (const piece of pieces) {
    if ('text' in piece) replacement += piece.text;
    else {
      flush(piece.from);
      position = piece.to;
    }
  }
  flush(edges.to);
  return splices;
}
