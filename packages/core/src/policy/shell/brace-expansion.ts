/**
 * Expands `a{b,c}d` into its words, for text without any other expansion. It is bounded:
 * text nested too deep, too long or with a sequence is returned as unknown.
 */

const MAX_WORDS = 64;

/** Undefined when the text cannot be expanded with certainty. */
export function expandBraces(text: string): string[] | undefined {
  if (/[$`\\"'*?[\]]|\.\./.test(text)) return undefined;
  let words = [text];
  while (words.some((word) => word.includes('{'))) {
    const next: string[] = [];
    for (const word of words) {
      const pieces = expandFirst(word);
      if (pieces === undefined) return undefined;
      next.push(...pieces);
    }
    if (next.length > MAX_WORDS) return undefined;
    words = next;
  }
  return words;
}

/** Expands the innermost first pair, so that nesting unfolds from inside out. */
function expandFirst(word: string): string[] | undefined {
  if (!word.includes('{')) return [word];
  const match = /\{([^{}]*)\}/.exec(word);
  const body = match?.[1];
  if (match === null || body === undefined || !body.includes(',')) return undefined;
  const before = word.slice(0, match.index);
  const after = word.slice(match.index + match[0].length);
  return body.split(',').map((piece) => before + piece + after);
}
