/**
 * Distinguishes misspelt words from intentionally different ones (`min` and `max`, `user`
 * and `users`, a name used elsewhere in the file).
 */

import { editDistance } from '../../util/edit-distance.ts';
import { tokenEnd, tokenStart } from './tokens.ts';

/** Whether `wanted` is a misspelling of `found`, not a different word. */
export function isMisspelling(content: string, wanted: string, found: string): boolean {
  const [a, b] = differingParts(wanted, found);
  if (isOtherName(wanted, found)) return false;
  if (a.length < 2 || b.length < 2 || isHexadecimal(wanted) || isHexadecimal(found)) return false;
  const allowed = Math.max(a.length, b.length) < 8 ? 1 : 2;
  if (editDistance(a, b) > allowed) return false;
  if (a.toLowerCase() === b.toLowerCase()) return !hasWord(content, wanted);
  if (a === `${b}s` || b === `${a}s`) return false;
  return !COMMON_WORDS.has(a.toLowerCase()) && !hasWord(content, wanted);
}

/** Whether the word is a colour or a hash, in which every letter counts. */
export function isHexadecimal(word: string): boolean {
  return /^[\da-f]{6,}$/i.test(word);
}

/** What remains of two names without the parts they share (`get`, `user`, `name` of `getUserName`). */
export function differingParts(a: string, b: string): [string, string] {
  const left = partsOf(a);
  const right = partsOf(b);
  if (left.length !== right.length) return [a, b];
  const differing = left.map((part, index) => [part, right[index]!] as const).filter(([x, y]) => x !== y);
  if (differing.length !== 1) return [a, b];
  return [differing[0]![0], differing[0]![1]];
}

function partsOf(word: string): string[] {
  return word.match(/[A-Z]+(?![a-z])|[A-Z]?[^A-Z_$\d-]+|[\d_$-]+/g) ?? [word];
}

/** Whether one name is the other plus a part (`path_b`, `pathB`): a slip does not add a part. */
export function isOtherName(a: string, b: string): boolean {
  const [more, less] = [partsOf(a), partsOf(b)].toSorted((x, y) => y.length - x.length) as [string[], string[]];
  const isWithin = (from: number) => less.every((part, index) => more[from + index] === part);
  return more.length > less.length && (isWithin(0) || isWithin(more.length - less.length));
}

export function hasWord(content: string, word: string): boolean {
  for (let at = content.indexOf(word); at !== -1; at = content.indexOf(word, at + 1)) {
    if (tokenEnd(content, at) === at + word.length && tokenStart(content, at + word.length) === at) return true;
  }
  return false;
}

/** Short words one edit away from another word: a difference in them is intentional. */
const COMMON_WORDS = new Set(
  (
    'get set let put add sub del min max sum avg min all any new old top end now not and nor for the has had was ' +
    'are can may run ran row col key val var int str num err out inp src dst map tap pop push pull from form to too ' +
    'in on off no is it if of or as at by be do read head lead load save send sent test text next prev post host port ' +
    'host cost lock look left right light size side site true false null none void main name game same time type ' +
    'file fill find bind bind kind mind live give list last first fist start stars count mount inner outer upper lower ' +
    'width height local global public private encode decode input output import export before after enable disable ' +
    'show hide slow open close user uses used item data date rate gate path math patch match batch catch hash cache ' +
    'left lift log lag tag bag big bit byte char chat that this then than when where what who why how while white ' +
    'const class case base even odd ever over under order error append prepend begin hour minute second day week month year red green blue ' +
    'x y z i j k a b c'
  ).split(' '),
);

export function isCommonWord(word: string): boolean {
  return COMMON_WORDS.has(word.toLowerCase());
}

export function hasSameDigits(a: string, b: string): boolean {
  return a.replaceAll(/\D/g, '') === b.replaceAll(/\D/g, '');
}
