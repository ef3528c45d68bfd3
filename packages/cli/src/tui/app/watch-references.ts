/**
 * Looks for the files that the text in the composer names with `@`, so that those that do not exist are marked before
 * the prompt is sent. A name is looked for once it is written; the one at the caret is still being typed.
 */

import type { FileReferences } from '@castor/core';
import { REFERENCE } from '../components/composer-rows.ts';
import type { ComposerController, ComposerSnapshot } from '../input/composer-contract.ts';

/** Each may cost a walk through the workspace. */
const MOST_WORDS = 10;

export interface ReferenceWatchOptions {
  readonly composer: Pick<ComposerController, 'getSnapshot' | 'subscribe' | 'setMissing'>;
  /** Undefined while there is no agent. */
  readonly references: () => FileReferences | undefined;
}

export function watchReferences({ composer, references }: ReferenceWatchOptions): () => void {
  let asked = '';
  let search = new AbortController();
  const look = async (): Promise<void> => {
    const words = wordsIn(composer.getSnapshot());
    const key = words.join('\n');
    if (key === asked) return;
    const known = references();
    // Without an agent nothing is known: the next key asks again.
    asked = known ? key : '';
    search.abort();
    const { signal } = (search = new AbortController());
    if (words.length === 0 || !known) return composer.setMissing(new Set());
    const { isMissingReference } = await import('../../prompt/missing-references.ts');
    const judged = await Promise.all(
      words.map(async (word) => ((await isMissingReference(word, known, signal).catch(() => false)) ? [word] : [])),
    );
    if (!signal.aborted) composer.setMissing(new Set(judged.flat()));
  };
  const stop = composer.subscribe(() => void look());
  // For what was typed before.
  void look();
  return () => {
    search.abort();
    stop();
  };
}

/** The references in the visible rows, but for one that the caret touches and one that a row breaks. */
function wordsIn({ rows, caretRow, caretCell, columns, isShell }: ComposerSnapshot): string[] {
  if (isShell) return [];
  const words = rows.flatMap(({ text }, row) =>
    [...text.matchAll(REFERENCE)].flatMap(({ index, 1: before = '', 2: word = '' }) => {
      const start = index + before.length;
      const end = start + word.length;
      const isTyped = row === caretRow && caretCell >= start && caretCell <= end;
      const isBroken = end === text.length && row < rows.length - 1 && word.length + ROOM_BESIDE >= columns;
      return isTyped || isBroken ? [] : [word];
    }),
  );
  return [...new Set(words)].slice(0, MOST_WORDS);
}

/** Cells of a row that no word has: the sign, and the place of the caret. */
const ROOM_BESIDE = 4;
