/** Splits a line into words as a shell does: quotes and backslashes hold words together; nothing is expanded. Pure. */

export function quotedWords(line: string): string[] {
  const words: string[] = [];
  let word: string | undefined;
  let quote = '';
  for (let at = 0; at < line.length; at += 1) {
    const sign = line[at] ?? '';
    if (sign === quote && quote !== '') quote = '';
    else if (quote === '' && (sign === '"' || sign === "'")) {
      quote = sign;
      word ??= '';
    } else if (sign === '\\' && quote !== "'") {
      at += 1;
      word = (word ?? '') + (line[at] ?? '');
    } else if (quote === '' && /\s/.test(sign)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else word = (word ?? '') + sign;
  }
  return word === undefined ? words : [...words, word];
}
