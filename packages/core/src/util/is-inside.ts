import { isAbsolute, relative, sep } from 'node:path';

/** Whether an absolute path is the directory or below it, by its spelling alone: links are not resolved. */
export function isInside(path: string, directory: string): boolean {
  const rest = relative(directory, path);
  return rest === '' || (!rest.startsWith(`..${sep}`) && rest !== '..' && !isAbsolute(rest));
}
