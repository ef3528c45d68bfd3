/** What a wrapper would run, as every reader of wrappers answers it, and how such an answer is made. */

import { clipped } from './shell-line.ts';
import type { ShellWord } from './shell-line.ts';

/** Something the arguments make run. */
export type Inner =
  | { kind: 'words'; words: readonly ShellWord[]; start: number; moreArguments: boolean }
  | { kind: 'script'; text: string; start: number }
  /** Code that is not written in the line, or not in a language we read. No rule can spell an empty `word`. */
  | { kind: 'unreadable'; reason: string; word: string };

export interface Unwrapped {
  inner: Inner[];
  /** The wrapper does nothing of its own: what it runs is judged in its place. */
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

/** A script only counts as read when every character of it is in the line; what can be read of it is judged anyway. */
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

/** A word with the placeholder becomes something else when it runs. */
export function withPlaceholders(words: readonly ShellWord[], placeholder: string): ShellWord[] {
  return words.map((word) =>
    placeholder !== '' && word.value.includes(placeholder)
      ? { ...word, kind: 'dynamic', skeleton: word.value.split(placeholder).join('') }
      : word,
  );
}
