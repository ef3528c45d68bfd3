/** The result common to all readers of wrappers: what a wrapper would run, and the functions that build it. */

import { clipped } from './shell-line.ts';
import type { ShellWord } from './shell-word.ts';

/** Something that the arguments run. */
export type Inner =
  | { kind: 'words'; words: readonly ShellWord[]; start: number; moreArguments: boolean }
  | { kind: 'script'; text: string; start: number; positional?: readonly ShellWord[] }
  /** Code that the line does not contain, or in an unsupported language. No rule can spell an empty `word`. */
  | { kind: 'unreadable'; reason: string; word: string; hidden?: true | undefined };

export interface Unwrapped {
  inner: Inner[];
  /** Whether the wrapper has no effect of its own: its inner command is checked in its place. */
  transparent: boolean;
  /** Environment variables the wrapper sets for the inner command. */
  assignments: { name: string; word: ShellWord }[];
  /** Folders it changes to. */
  directories: ShellWord[];
}

export function result(inner: Inner[], transparent = true): Unwrapped {
  return { inner, transparent, assignments: [], directories: [] };
}

export function unreadable(reason: string, word: string, hidden?: true): Unwrapped {
  return result([{ kind: 'unreadable', reason, word, hidden }], false);
}

/** A script counts as read only when the line contains every character of it; its readable part is checked anyway. */
export function scriptOf(
  word: ShellWord,
  start: number,
  label: string,
  positional: readonly ShellWord[] = [],
): Inner[] {
  const script: Inner = { kind: 'script', text: word.value, start, positional };
  if (word.kind !== 'dynamic') return [script];
  return [
    {
      kind: 'unreadable',
      reason: `${label} runs text that is known only when it runs: ${clipped(word.text)}`,
      word: word.text,
      hidden: isHiddenCode(word) ? true : undefined,
    },
    script,
    ...(word.candidates ?? []).map((text): Inner => ({ kind: 'script', text, start, positional })),
  ];
}

/** Programs that print shell code for `eval` and `source`, by their documentation. */
const PRINTS_SETUP =
  /^"?(?:\$\(|<\()(?:ssh-agent(?: -s)?|brew shellenv|opam env|(?:py|rb|nod|go|j)env init -?[\w -]*|direnv (?:hook|export) bash|fnm env[\w -]*|mise (?:activate|env)[\w -]*|starship init bash|zoxide init bash|conda shell\.bash hook|dircolors(?: -b)?|[\w-]+ completions? (?:-s )?bash)\)"?$/;

export function printsSetup(text: string): boolean {
  return PRINTS_SETUP.test(text);
}

/** Whether code is unknown in a way that no other part of the line explains. */
export function isHiddenCode({ open, skeleton, candidates = [], text }: ShellWord): boolean {
  if (PRINTS_SETUP.test(text)) return false;
  return open === true || (skeleton.trim() === '' && candidates.length === 0);
}

/** A word with the placeholder changes when it runs. */
export function withPlaceholders(words: readonly ShellWord[], placeholder: string): ShellWord[] {
  return words.map((word) =>
    placeholder !== '' && word.value.includes(placeholder)
      ? { ...word, kind: 'dynamic', skeleton: word.value.split(placeholder).join('') }
      : word,
  );
}
