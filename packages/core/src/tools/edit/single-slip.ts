/**
 * Recognises a single character too many, too few or wrong, which may join or split words.
 * It is a slip when the model's text has no other meaning: not another number, operator or
 * word of the file.
 */

import type { Difference } from './differences.ts';
import type { Compared } from './compared.ts';
import { isWord } from './tokens.ts';
import { differingParts, hasSameDigits, hasWord, isCommonWord, isHexadecimal, isOtherName } from './word-slips.ts';
import { editDistance } from '../../util/edit-distance.ts';

const OPERATORS = /[-+*/%<>=!&|^~?@#]/g;

export function isSingleSlip({ content, old, file }: Compared, { from, to, first, last }: Difference): boolean {
  const [wanted, found] = [old.keys.slice(from, to), file.keys.slice(first, last)];
  const [a, b] = [wanted.join(''), found.join('')];
  if (editDistance(a, b) > 1 || !hasSameMeaning(a, b) || found.some(isHexadecimal)) return false;
  const [part, other] = differingParts(a, b);
  if (isOtherName(a, b) || part === `${other}s` || other === `${part}s` || isCommonWord(part)) return false;
  return !wanted.some((key) => isWord(key) && !found.includes(key) && hasWord(content, key));
}

/** Whether numbers and operators are equal, or contain a letter where none is valid. */
function hasSameMeaning(wanted: string, found: string): boolean {
  if (hasSameDigits(wanted, found) && operatorsOf(wanted) === operatorsOf(found)) return true;
  const at = [...found].findIndex((character, index) => character !== wanted[index]);
  return wanted.length === found.length && /[g-z]/.test(wanted[at] ?? '') && /[^a-zA-Z]/.test(found[at] ?? 'a');
}

function operatorsOf(text: string): string {
  return (text.match(OPERATORS) ?? []).join('');
}
