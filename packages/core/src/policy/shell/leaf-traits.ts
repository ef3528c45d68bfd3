/** Tells whether a command of a line can be decided by its text alone, and whether it runs anything. Pure. */

import type { Leaf } from './shell-leaves.ts';

/** Whether the text alone decides: a variable may hold another value elsewhere in the line. */
export function isPlain({ parent, risks, command: { assignments, words, redirections } }: Leaf): boolean {
  if (parent !== undefined || risks.length > 0 || assignments.length > 0) return false;
  return [...words, ...redirections.map(({ target }) => target)].every(({ kind }) => kind === 'literal');
}

/** A bare assignment runs nothing; a bare `< file` in a substitution prints the file. */
export function isNothing({ command, risks }: Leaf): boolean {
  return command.words.length === 0 && risks.length === 0 && command.redirections.length === 0;
}
