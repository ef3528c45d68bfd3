/**
 * Matches a name against tokens: `*` stands for any number of characters and every other
 * token for one. Linear in practice for any pattern: it may come from a model.
 */

export function matchStars(
  name: string,
  tokens: ArrayLike<string>,
  stands: (token: string, character: string) => boolean,
): boolean {
  let at = 0;
  let token = 0;
  let star = -1;
  let resume = 0;
  while (at < name.length) {
    const expected = tokens[token];
    if (expected === '*') {
      star = token++;
      resume = at;
    } else if (expected !== undefined && stands(expected, name.charAt(at))) {
      at++;
      token++;
    } else if (star >= 0) {
      // Only the last star needs to match more: the earlier ones already match as little as possible.
      token = star + 1;
      at = ++resume;
    } else return false;
  }
  while (tokens[token] === '*') token++;
  return token === tokens.length;
}
