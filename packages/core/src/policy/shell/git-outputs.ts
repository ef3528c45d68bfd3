/**
 * Finds options and words by which git writes a file that the user names: permission to
 * show history does not include writing there. Subcommands that change the work tree are
 * not listed.
 */

import type { ShellWord } from './shell-word.ts';

/** For any subcommand: all that show changes accept it. */
const ANYWHERE = /^--out(?!put-indicator)/;

/** Also within a cluster of letters, and as any prefix of the long name. */
const OUTPUT_LETTER = /^-[A-Za-z0-9]*o|^--ou?(?:=|$)/;

const OWN: Readonly<Record<string, RegExp>> = {
  archive: OUTPUT_LETTER,
  'format-patch': OUTPUT_LETTER,
  mailsplit: /^-o/,
  diagnose: OUTPUT_LETTER,
  bugreport: OUTPUT_LETTER,
  'index-pack': /^-o/,
  'multi-pack-index': /^-o/,
  'fast-export': /^--exp/,
  'fast-import': /^--exp/,
  'read-tree': /^--index-o/,
  'checkout-index': /^--(?:pre|temp)/,
  bundle: /^create$/,
};

/** Every operand of these may be a file they write. */
const BY_OPERAND = new Set(['mailinfo', 'pack-objects', 'checkout-index', 'read-tree', 'unpack-file']);

/** The options or words that make it write a file. */
export function gitOutputs(subcommand: string, rest: readonly ShellWord[]): ShellWord[] {
  const own = Object.hasOwn(OWN, subcommand) ? OWN[subcommand] : undefined;
  // After `--` too: it may be the value of an option, as in `--prefix -- --output=x`.
  return rest.filter(
    (word) =>
      ANYWHERE.test(word.value) || own?.test(word.value) === true || (SHOWS.has(subcommand) && mayBeOption(word)),
  );
}

/** Subcommands that show changes: all of them take `--output`. */
const SHOWS = new Set(
  'diff log show shortlog whatchanged diff-tree diff-index diff-files range-diff stash reflog archive format-patch'.split(
    ' ',
  ),
);

/** Text that the line does not fix may be any option, unless it stands behind other characters. */
function mayBeOption({ kind, skeleton, output, open }: ShellWord): boolean {
  if (kind !== 'dynamic' || !/^-?$/.test(skeleton.slice(0, 1))) return false;
  return output === 'text' || output === 'spelled' || open === true;
}

/** Subcommands that write files under a name of their own choice, unless an option prints instead. */
const BY_THEMSELVES: Readonly<Record<string, RegExp | undefined>> = {
  bugreport: undefined,
  diagnose: undefined,
  'format-patch': /^--stdout$/,
};

/** Whether it writes a file even without an option that names one. */
export function writesUnnamedFile(subcommand: string, rest: readonly ShellWord[]): boolean {
  if (!Object.hasOwn(BY_THEMSELVES, subcommand)) return false;
  const prints = BY_THEMSELVES[subcommand];
  return prints === undefined || !rest.some(({ value }) => prints.test(value));
}

export function writesNamedFile(subcommand: string, rest: readonly ShellWord[]): boolean {
  return BY_OPERAND.has(subcommand) || gitOutputs(subcommand, rest).length > 0;
}
