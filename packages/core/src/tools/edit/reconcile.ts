/**
 * Corrects the model's errors about a file in both of its texts, so that an exact edit
 * remains. Each difference between the old text and the file is one of three: the new text
 * agrees with the file (only the old one has the slip), the new text repeats the slip
 * (both take the file's text), or the edit replaces it (the new text wins). Anything else
 * is a conflict and rejects the edit.
 */

import type { Difference } from './differences.ts';
import { hear } from './hear-witness.ts';
import type { Witness } from './hear-witness.ts';
import { keptIn } from './kept-tokens.ts';
import { patchText } from './patch-text.ts';
import type { Patch } from './patch-text.ts';
import { tokenize } from './tokens.ts';
import type { Tokens } from './tokens.ts';

export interface Reconciled {
  /** The old text in the file's form, token for token. */
  old: Tokens;
  replacement: string;
  /** One for each difference, in order. */
  witnesses: Witness[];
}

/** Undefined when the edit cannot be separated from the model's errors. */
export function reconcile(
  old: Tokens,
  replacement: string,
  file: Tokens,
  differences: readonly Difference[],
  pairsLate: boolean,
): Reconciled | undefined {
  const corrected = tokenize(
    patchText(
      old,
      differences.map((difference) => ({ ...difference, setsGlue: true })),
      file,
    ),
  );
  if (corrected.keys.join(' ') !== file.keys.join(' ')) return undefined;
  const next = tokenize(replacement);
  const texts = {
    old,
    next,
    file,
    keptOld: keptIn(old, next, pairsLate),
    keptFile: keptIn(file, next, pairsLate),
  };
  const witnesses: Witness[] = [];
  const patches: Patch[] = [];
  for (const difference of differences) {
    const finding = hear(texts, difference);
    if (finding === undefined) return undefined;
    witnesses.push(typeof finding === 'string' ? finding : 'slip');
    if (typeof finding !== 'string') patches.push(finding);
  }
  return { old: corrected, replacement: patchText(next, patches, file), witnesses };
}
