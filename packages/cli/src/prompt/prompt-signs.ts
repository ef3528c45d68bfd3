/** What the first sign of a prompt means, for every surface, and which characters no prompt may hold. Pure. */

const SLASH = /^\s*\/(?![/*\s])/;
const SHELL = /^\s*!\s*[^\s!]/;

/** Whether it may name a command; comments and bare slashes do not. */
export function isSlashText(text: string): boolean {
  return SLASH.test(text);
}

/** Whether it is a line for the shell. Several lines are words: a note that begins with `!` must not be run. */
export function isShellText(text: string): boolean {
  return SHELL.test(text) && !text.trim().includes('\n');
}

/** Whether it must be read before it is sent: a command, or words that may name a file. */
export function needsReading(text: string): boolean {
  return /^\s*[/!]|@/.test(text);
}

/** Lone surrogates and NUL are not text, and every service rejects them. */
export function toHarmlessText(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\uFFFD');
}
