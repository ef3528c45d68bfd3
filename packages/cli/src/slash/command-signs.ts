/** What the first sign of a text may mean. Pure. */

const SLASH = /^\s*\/(?![/*\s])/;
const SHELL = /^\s*!\s*[^\s!]/;

/** Whether it may name a command; comments and bare slashes do not. */
export function isSlashText(text: string): boolean {
  return SLASH.test(text);
}

/** Whether it is a line for the shell. */
export function isShellText(text: string): boolean {
  return SHELL.test(text);
}
