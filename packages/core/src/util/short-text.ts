/** Shortens text to fit into one line of a message. */

/** `1 file`, `2 files`. */
export function countOf(count: number, name: string): string {
  return `${count} ${name}${count === 1 ? '' : 's'}`;
}

/** Line breaks and runs of blanks become one blank each. */
export function toOneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim();
}

/** The first `length` characters, followed by `…` if the text is longer. */
export function shorten(text: string, length: number): string {
  return text.length > length ? `${text.slice(0, length).toWellFormed()}…` : text;
}
