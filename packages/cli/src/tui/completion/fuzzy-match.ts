/**
 * Scores how well a path matches the typed text: letters in order, better when they lie in the name, begin parts of it,
 * and follow each other. Pure, and cheap enough for half a million paths.
 */

/** Higher is better; undefined when the letters do not occur in order. `query` is in lower case. */
export function scorePath(path: string, query: string): number | undefined {
  if (query === '') return -path.length;
  const folded = path.toLowerCase();
  const nameStart = folded.lastIndexOf('/', folded.length - 2) + 1;
  const inName = folded.indexOf(query, nameStart);
  if (inName >= 0) return scoreInName(folded, query, nameStart, inName) - path.length;
  const inPath = folded.indexOf(query);
  if (inPath >= 0) return (inPath === 0 ? 7_000 : isPartStart(path, inPath) ? 6_000 : 5_000) - path.length;
  const scattered = scoreScattered(path, folded, query, nameStart) ?? scoreScattered(path, folded, query, 0);
  return scattered === undefined ? undefined : scattered - path.length;
}

/** The letters and digits of a text, as bits: a path that lacks one of the query's cannot match. */
export function letterMask(text: string): number {
  let mask = 0;
  for (let index = 0; index < text.length; index++) mask |= LETTER_BITS[text.charCodeAt(index) & 0xff]!;
  return mask;
}

/** A bit for each letter, ignoring case; digits and signs share the rest. */
const LETTER_BITS = Int32Array.from({ length: 256 }, (_, code) => {
  const folded = code >= 65 && code <= 90 ? code + 32 : code;
  if (folded >= 97 && folded <= 122) return 1 << (folded - 97);
  if (folded >= 48 && folded <= 57) return 1 << 26;
  if (folded === 46) return 1 << 27;
  if (folded === 95 || folded === 45) return 1 << 28;
  return 0;
});

function scoreInName(folded: string, query: string, nameStart: number, found: number): number {
  const nameEnd = folded.endsWith('/') ? folded.length - 1 : folded.length;
  if (found === nameStart && found + query.length === nameEnd) return 10_000;
  if (found === nameStart && folded[found + query.length] === '.') return 9_500;
  if (found === nameStart) return 9_000;
  return isPartStart(folded, found) ? 8_500 : 8_000;
}

/** Scattered letters: each counts more at the start of a part or right after the one before. */
function scoreScattered(path: string, folded: string, query: string, from: number): number | undefined {
  let score = from > 0 ? 3_000 : 1_000;
  let position = from;
  let previous = -2;
  for (let index = 0; index < query.length; index++) {
    const found = folded.indexOf(query[index]!, position);
    if (found < 0) return undefined;
    if (found === previous + 1) score += 15;
    else if (isPartStart(path, found)) score += 10;
    else score -= Math.min(20, found - position);
    previous = found;
    position = found + 1;
  }
  return score;
}

function isPartStart(path: string, index: number): boolean {
  if (index === 0) return true;
  const before = path.charCodeAt(index - 1);
  if (before === 47 || before === 45 || before === 95 || before === 46 || before === 32) return true;
  const here = path.charCodeAt(index);
  return here >= 65 && here <= 90 && before >= 97 && before <= 122;
}
