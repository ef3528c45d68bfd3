/**
 * Matches a name against a shell pattern: `*`, `?` and `[…]`. No pattern makes it slow,
 * since a model chooses the pattern and a third party the name. An unsupported pattern may
 * match anything.
 */

import { matchStars } from '../util/match-stars.ts';

export function globMatches(pattern: string, name: string): boolean {
  const tokens = tokensOf(pattern);
  return tokens === undefined || matchStars(name, tokens, stands);
}

/** One token for each character of a name, and stars between them; undefined for an unsupported pattern. */
function tokensOf(pattern: string): string[] | undefined {
  if (/[()]|\[[:.=]/.test(pattern)) return undefined;
  const tokens: string[] = pattern.match(/\*+|\?|\[[!^]?\]?[^\]]*\]|\\.|[^]/g) ?? [];
  return tokens.includes('[') ? undefined : tokens.map((token) => (token.startsWith('*') ? '*' : token));
}

function stands(token: string, character: string): boolean {
  if (token === '?') return true;
  if (token.startsWith('\\')) return token.slice(1) === character;
  if (!token.startsWith('[')) return token === character;
  const negated = /^\[[!^]/.test(token);
  const members = token.slice(negated ? 2 : 1, -1);
  return isMember(members, character) !== negated;
}

function isMember(members: string, character: string): boolean {
  for (let index = 0; index < members.length; index += 1) {
    const first = members.charAt(index);
    const isRange = members.charAt(index + 1) === '-' && index + 2 < members.length;
    if (isRange ? first <= character && character <= members.charAt(index + 2) : first === character) return true;
    if (isRange) index += 2;
  }
  return false;
}
