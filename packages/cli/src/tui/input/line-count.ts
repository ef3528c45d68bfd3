/** How many lines a text has, counting `\r\n`, `\r` and `\n` as one break each; stops at `limit`. */
export function countLines(text: string, limit = Number.POSITIVE_INFINITY): number {
  let lines = 1;
  for (let index = 0; index < text.length && lines < limit; index++) {
    const code = text.charCodeAt(index);
    if (code === 0x0a || (code === 0x0d && text.charCodeAt(index + 1) !== 0x0a)) lines++;
  }
  return lines;
}
