/**
 * Tells before a command runs that it would delete or overwrite what undo does not keep. It reads the words of the line, so
 * it finds the usual forms and promises nothing. Pure.
 */

import { posix } from 'node:path';
import { fromText } from './byte-path.ts';

/** A path that is not kept, and its bytes; of a folder those that are not. */
export interface UnkeptPath {
  readonly path: string;
  readonly bytes: number;
}

const DELETES =
  /(?:^|[\s;&|({`/])(?:rm|rmdir|unlink|shred|truncate|mv|dd)\s|\sgit\s+clean\b|^git\s+clean\b|\s-delete\b/;
const EVERYWHERE = /\bgit\s+clean\b/;
const WORD = /[^\s"'`;|&<>()]+/g;
const UNITS = ['bytes', 'kB', 'MB', 'GB', 'TB'];

export function deletes(command: string): boolean {
  return DELETES.test(command);
}

/** `folder`: where the command runs; absolute, as `root`. Undefined where nothing is lost, as far as the words tell. */
export function foretellLoss(
  command: string,
  { root, folder, unkept }: { root: string; folder: string; unkept: readonly UnkeptPath[] },
): string | undefined {
  if (!deletes(command) || unkept.length === 0) return undefined;
  const named = (command.match(WORD) ?? [])
    .filter((word) => !word.startsWith('-'))
    .map((word) => word.replace(/^of=/, ''));
  const targets = named.flatMap((word) => toTarget(word, root, folder) ?? []);
  if (EVERYWHERE.test(command)) targets.push('');
  const isLost = ({ path }: UnkeptPath) =>
    targets.some((target) => target === '' || path === target || path.startsWith(`${target}/`));
  const lost = unkept.filter(isLost);
  if (lost.length === 0) return undefined;
  const bytes = lost.reduce((sum, each) => sum + each.bytes, 0);
  const [first] = lost as [UnkeptPath];
  const what = lost.length === 1 ? first.path : `${first.path} and ${lost.length - 1} more`;
  const verb = lost.length === 1 ? 'is' : 'are';
  return `${what} (${describeBytes(bytes)}) ${verb} not kept: this cannot be undone`;
}

/** Relative to the workspace; the empty path is all of it. Undefined outside. */
function toTarget(word: string, root: string, folder: string): string | undefined {
  // What a pattern matches is in the folder before it.
  const pattern = word.search(/[*?[{$]/);
  const whole = pattern < 0 ? word : word.slice(0, word.lastIndexOf('/', pattern) + 1);
  const path = posix.relative(root, posix.resolve(folder, whole));
  const isName = pattern >= 0 || path !== '' || word === '.' || word === root;
  return path.startsWith('..') || !isName ? undefined : fromText(path);
}

function describeBytes(bytes: number): string {
  let unit = 0;
  let amount = bytes;
  for (; amount >= 1000 && unit < UNITS.length - 1; unit++) amount /= 1000;
  return `${unit === 0 ? amount : amount.toFixed(1)} ${UNITS[unit]}`;
}
