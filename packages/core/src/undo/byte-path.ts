/**
 * Byte strings: paths and link targets with one character per byte, so that every name of a file system survives, sorts
 * and compares. Only system calls, records and people need another form.
 */

/** A path or target in a record: text where the bytes are UTF-8, else base64. */
export type StoredPath = string | { b: string };

const NOT_ASCII = /[^\0-\x7f]/;

export function toSystemPath(path: string): string | Buffer {
  return NOT_ASCII.test(path) ? Buffer.from(path, 'latin1') : path;
}

/** For people; a byte that is no UTF-8 becomes a replacement character. */
export function toText(path: string): string {
  return NOT_ASCII.test(path) ? Buffer.from(path, 'latin1').toString('utf8') : path;
}

export function fromText(text: string): string {
  return NOT_ASCII.test(text) ? Buffer.from(text, 'utf8').toString('latin1') : text;
}

export function toStoredPath(path: string): StoredPath {
  const text = toText(path);
  return fromText(text) === path ? text : { b: Buffer.from(path, 'latin1').toString('base64') };
}

export function fromStoredPath(stored: StoredPath): string {
  return typeof stored === 'string' ? fromText(stored) : Buffer.from(stored.b, 'base64').toString('latin1');
}

const SLASH = 47;

/** The order of a walk: a folder, then all below it, then its next sibling by bytes. */
export function comparePaths(left: string, right: string): number {
  const length = Math.min(left.length, right.length);
  for (let index = 0; index < length; index++) {
    let a = left.charCodeAt(index);
    let b = right.charCodeAt(index);
    if (a === b) continue;
    if (a === SLASH) a = -1;
    if (b === SLASH) b = -1;
    return a - b;
  }
  return left.length - right.length;
}

export function parentOf(path: string): string {
  const end = path.lastIndexOf('/');
  return end < 0 ? '' : path.slice(0, end);
}

export function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** Whether the path is a repository's own data. */
export function isInGit(path: string): boolean {
  return path === '.git' || path.startsWith('.git/') || path.includes('/.git/') || path.endsWith('/.git');
}
