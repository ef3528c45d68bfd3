/**
 * OSC 52: makes the terminal put a text into the clipboard, also over a network. Truncates texts longer than it
 * accepts. Pure.
 */

const LONGEST_BYTES = 100_000;

export function copyText(text: string): string {
  const bytes = Buffer.from(text.toWellFormed()).subarray(0, LONGEST_BYTES);
  return `\x1b]52;c;${bytes.toString('base64')}\x07`;
}
