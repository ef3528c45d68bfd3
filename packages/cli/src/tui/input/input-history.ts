/**
 * The earlier prompts: walks through them with the draft kept at the end, and searches them backwards. Pure state;
 * prompt-log.ts stores them.
 */

export interface InputHistory {
  /** Oldest first. */
  entries(): readonly string[];
  add(text: string): void;
}

/** A walk through the history: the text in the editor before it, and its position. */
export interface HistoryWalk {
  readonly index: number;
  readonly draft: string;
  /** The text put into the editor, to detect a change. */
  readonly shown: string;
}

export interface HistorySearch {
  readonly query: string;
  /** The index of the match; undefined without one. */
  readonly index: number | undefined;
  readonly draft: string;
}

const MAX_ENTRIES = 1000;

export function createInputHistory(entries: readonly string[] = [], onAdd?: (text: string) => void): InputHistory {
  let known = entries.slice(-MAX_ENTRIES);
  return {
    entries: () => known,
    add(text) {
      if (text.trim() === '') return;
      onAdd?.(text);
      // The same prompt twice is one step back.
      if (known.at(-1) !== text) known = [...known.slice(-(MAX_ENTRIES - 1)), text];
    },
  };
}

/** One step; undefined at the end. With `isEdited` the walk starts anew from the current text. */
export function walkHistory(
  entries: readonly string[],
  walk: HistoryWalk | undefined,
  { by, text }: { by: -1 | 1; text: string },
): HistoryWalk | undefined {
  const isGoing = walk !== undefined && walk.shown === text;
  if (!isGoing && by === 1) return undefined;
  const from = isGoing ? walk.index : entries.length;
  const draft = isGoing ? walk.draft : text;
  const index = from + by;
  if (index < 0 || index > entries.length) return undefined;
  return { index, draft, shown: index === entries.length ? draft : entries[index]! };
}

/** The newest entry at or before `from` that contains the query, ignoring case. */
export function searchHistory(
  entries: readonly string[],
  query: string,
  from = entries.length - 1,
): number | undefined {
  if (query === '') return undefined;
  const wanted = query.toLowerCase();
  for (let index = Math.min(from, entries.length - 1); index >= 0; index--) {
    if (entries[index]!.toLowerCase().includes(wanted)) return index;
  }
  return undefined;
}
