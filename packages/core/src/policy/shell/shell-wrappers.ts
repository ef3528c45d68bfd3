/**
 * Unwraps commands that run another command given in their arguments: finds the words, or
 * the text, they would run. It looks one level deep; shell-leaves.ts continues from there.
 * An unknown option makes the wrapper uncertain, never transparent.
 */

import { isShell, unwrapShell } from './shell-invocation.ts';
import { baseName } from './shell-line.ts';
import type { SimpleCommand } from './shell-line.ts';
import { SPECIAL_WRAPPERS } from './special-wrappers.ts';
import type { Unwrapped } from './unwrapped.ts';
import { unwrapByTable } from './wrapper-options.ts';
import { ESCALATING, WRAPPERS } from './wrapper-table.ts';

export function isWrapper(name: string): boolean {
  return Object.hasOwn(WRAPPERS, name) || isShell(name);
}

/** Undefined when the command runs nothing but itself. */
export function unwrap(command: SimpleCommand): Unwrapped | undefined {
  const [head] = command.words;
  if (head === undefined) return undefined;
  const name = baseName(head);
  if (isShell(name)) return unwrapShell(command);
  const special = SPECIAL_WRAPPERS[name];
  if (special !== undefined) return special(command);
  // The dynamic loader runs the given program.
  if (/^ld(?:-linux.*|-musl.*)?\.so(?:\.\d+)*$/.test(name)) return unwrapByTable(command.words, ESCALATING);
  const options = Object.hasOwn(WRAPPERS, name) ? WRAPPERS[name] : undefined;
  return options === undefined ? undefined : unwrapByTable(command.words, options);
}
