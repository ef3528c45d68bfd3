/**
 * Applies the operators of `${x#y}` and `${x%y}` to a known value. An operator or pattern
 * it does not evaluate exactly gives undefined, which makes the word unknown.
 */

import type { ParameterOperation, Word } from 'unbash';
import { globMatches } from '../glob-matches.ts';
import type { ShellWord } from './shell-word.ts';

const MAX_LENGTH = 256;
const PATTERN = /[*?[\]()\\]/;

/** The value after the operation; undefined when that is not known exactly. */
export function applyOperation(
  value: string,
  operation: ParameterOperation,
  read: (word: Word) => ShellWord,
): string | undefined {
  if (operation.type !== 'Remove' || value.length > MAX_LENGTH) return undefined;
  const { kind, value: pattern } = read(operation.operand);
  if (kind === 'dynamic' || !isEvaluable(value, pattern)) return undefined;
  return removed(value, operation.operator, pattern);
}

function isEvaluable(value: string, pattern: string): boolean {
  if (pattern.length > MAX_LENGTH || /[()]|\[[:.=]/.test(pattern)) return false;
  // The value may itself be a pattern over file names, of which only whole segments are known.
  return !/[*?[]/.test(value) || !PATTERN.test(pattern) || pattern === '*/' || pattern === '/*';
}

/** Without the shortest or the longest piece at one end that the pattern matches. */
function removed(value: string, operator: string, pattern: string): string {
  const ends = operator.startsWith('%');
  const matches = (piece: string) => (PATTERN.test(pattern) ? globMatches(pattern, piece) : piece === pattern);
  const lengths = Array.from({ length: value.length + 1 }, (_, length) => length);
  if (operator.length > 1) lengths.reverse();
  for (const length of lengths) {
    const cut = ends ? value.length - length : length;
    if (matches(ends ? value.slice(cut) : value.slice(0, cut))) return ends ? value.slice(0, cut) : value.slice(cut);
  }
  return value;
}
