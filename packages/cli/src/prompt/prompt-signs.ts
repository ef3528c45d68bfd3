/**
 * Defines what the first sign of a prompt means, for every surface, and which characters a prompt must not contain.
 * Pure.
 */

const SLASH = /^\s*\/(?![/*\s])/;
const SHELL = /^\s*!\s*[^\s!]/;

/** Whether the text may name a command; comments and bare slashes do not. */
export function isSlashText(text: string): boolean {
  return SLASH.test(text);
}

/** Whether the text is a line for the shell. Several lines are words: a note that begins with `!` must not run. */
export function isShellText(text: string): boolean {
  return SHELL.test(text) && !text.trim().includes('\n');
}

/** Whether the text must be parsed before it is sent: a command, or words that may name a file. */
export function needsReading(text: string): boolean {
  return /^\s*[/!]|@/.test(text);
}

/** Lone surrogates and NUL are not text, and every service rejects them. */
export function toHarmlessText(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\uFFFD');
}
