/** OSC 52: the terminal puts a text into the clipboard, also over a network. Longer texts than it takes are cut. Pure. */

const LONGEST_BYTES = 100_000;

export function copyText(text: string): string {
  const bytes = Buffer.from(text.toWellFormed()).subarray(0, LONGEST_BYTES);
  return `\x1b]52;c;${bytes.toString('base64')}\x07`;
}
