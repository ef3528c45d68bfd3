/**
 * Maps the indentation a model wrote to that of the file. Each shared line gives one pair;
 * a new line uses the nearest pair and keeps its distance in levels, in the file's own
 * unit.
 */

export interface IndentationPair {
  /** The position among the tokens of the old text; measures which pair is nearest. */
  index: number;
  wanted: string;
  found: string;
}

/** Maps an indentation the model wrote, near a position in the old text, to the file's indentation. */
export type IndentationMap = (wanted: string, near: number) => string;

export function createIndentationMap(pairs: readonly IndentationPair[]): IndentationMap {
  if (pairs.every((pair) => pair.wanted === pair.found)) return (wanted) => wanted;
  const isMostlySame = pairs.filter((pair) => pair.wanted === pair.found).length * 2 > pairs.length;
  const unitFound = unitOf(pairs.map((pair) => pair.found));
  return (wanted, near) => {
    const byDistance = pairs.toSorted((a, b) => Math.abs(a.index - near) - Math.abs(b.index - near));
    const same = byDistance.find((pair) => pair.wanted === wanted);
    if (same !== undefined) return same.found;
    if (isMostlySame) return wanted;
    const unitWanted = unitOf([...pairs.map((pair) => pair.wanted), wanted]) ?? ' ';
    const unit = isDepthAlone(pairs) && isSpaces(unitWanted) && isSpaces(unitFound) ? unitWanted : unitFound;
    return moveFrom(closestInDepth(wanted, byDistance), wanted, unitWanted, unit ?? unitWanted);
  };
}

/** Whether the pairs have one depth and no indentation in the model's text: they give the depth, not the width of a level. */
function isDepthAlone(pairs: readonly IndentationPair[]): boolean {
  return pairs.every(({ wanted, found }) => wanted === '' && found === pairs[0]?.found);
}

function isSpaces(unit = ''): boolean {
  return !unit.includes('\t');
}

function moveFrom(pair: IndentationPair, wanted: string, unitWanted: string, unitFound: string): string {
  const step = widthOf(unitWanted);
  const difference = widthOf(wanted) - widthOf(pair.wanted);
  const levels = Math.trunc(difference / step);
  const remainder = Math.abs(difference % step);
  if (difference >= 0) return pair.found + unitFound.repeat(levels) + ' '.repeat(remainder);
  const removed = unitFound.length * -levels + (unitFound === '\t' ? 0 : remainder);
  return pair.found.slice(0, Math.max(0, pair.found.length - removed));
}

/** The pair with the nearest depth; among equals the one with the nearest position. */
function closestInDepth(wanted: string, byDistance: readonly IndentationPair[]): IndentationPair {
  const distance = (pair: IndentationPair) => Math.abs(widthOf(pair.wanted) - widthOf(wanted));
  return byDistance.reduce((best, pair) => (distance(pair) < distance(best) ? pair : best));
}

function widthOf(indentation: string): number {
  let width = 0;
  for (const character of indentation) width += character === '\t' ? 4 : 1;
  return width;
}

/** One level: a tab where tabs are used, else the smallest step between two depths. */
function unitOf(indentations: readonly string[]): string | undefined {
  if (indentations.some((each) => each.includes('\t'))) return '\t';
  const widths = [...new Set([0, ...indentations.map((each) => each.length)])].toSorted((a, b) => a - b);
  let step = Infinity;
  for (let index = 1; index < widths.length; index++) step = Math.min(step, widths[index]! - widths[index - 1]!);
  return step === Infinity ? undefined : ' '.repeat(step);
}
