/** The result common to all readers of wrappers: what a wrapper would run, and the functions that build it. */

import { clipped } from './shell-line.ts';
import type { ShellWord } from './shell-line.ts';

/** Something that the arguments run. */
export type Inner =
  | { kind: 'words'; words: readonly ShellWord[]; start: number; moreArguments: boolean }
  | { kind: 'script'; text: string; start: number }
  /** Code that the line does not contain, or in an unsupported language. No rule can spell an empty `word`. */
  | { kind: 'unreadable'; reason: string; word: string };

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

export function unreadable(reason: string, word: string): Unwrapped {
  return { inner: [{ kind: 'unreadable', reason, word }], transparent: false, assignments: [], directories: [] };
}

/** A script counts as read only when the line contains every character of it; its readable part is checked anyway. */
export function scriptOf(word: ShellWord, start: number, label: string): Inner[] {
  const script: Inner = { kind: 'script', text: word.value, start };
  if (word.kind !== 'dynamic') return [script];
  return [
    {
      kind: 'unreadable',
      reason: `${label} runs text that is known only when it runs: ${clipped(word.text)}`,
      word: word.text,
    },
    script,
    ...(word.candidates ?? []).map((text): Inner => ({ kind: 'script', text, start })),
  ];
}

/** A word with the placeholder changes when it runs. */
export function withPlaceholders(words: readonly ShellWord[], placeholder: string): ShellWord[] {
  return words.map((word) =>
    placeholder !== '' && word.value.includes(placeholder)
      ? { ...word, kind: 'dynamic', skeleton: word.value.split(placeholder).join('') }
      : word,
  );
}
