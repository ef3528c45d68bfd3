/**
 * A name against tokens of which `*` stands for any number of characters and every other
 * for one. Time linear in practice whatever the pattern: it may come from a model.
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
      // Only the last star ever has to take more: earlier ones took as little as they could.
      token = star + 1;
      at = ++resume;
    } else return false;
  }
  while (tokens[token] === '*') token++;
  return token === tokens.length;
}
