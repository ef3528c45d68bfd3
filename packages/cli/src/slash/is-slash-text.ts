/** Whether a text may name a command; comments and bare slashes do not. Pure. */

const SLASH = /^\s*\/(?![/*\s])/;

export function isSlashText(text: string): boolean {
  return SLASH.test(text);
}
