/**
 * A second corpus, made by dice: edits in the files of the first, each with a slip that
 * models make. What differs by form alone (quotes, dashes, whitespace) counts as the
 * same; an edit that comes to anything else than the one meant fails the suite.
 */

import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, inject, it } from 'vitest';
import { applyToText } from '../files/text-file.ts';
import { createRandom, makeEdit } from './edit-cases.fixture.ts';
import type { EditCase } from './edit-cases.fixture.ts';
import { placeEdit } from './place-edit.ts';
import { SLIPS } from './slips.fixture.ts';
import { tokenize } from './tokens.ts';

/** For each slip. */
const EDITS = inject('isEndurance') ? 60 : 15;
const directory = new URL('corpus/', import.meta.url);
const sources = readdirSync(directory)
  .filter((name) => name.endsWith('.txt'))
  .toSorted()
  .map((name) => readFileSync(new URL(name, directory), 'utf8'));

const meaning = (text: string) =>
  tokenize(
    text
      .replaceAll(/[“”‘’'"`]/g, '"')
      .replaceAll(/[–—]/g, '-')
      .normalize('NFC'),
  ).keys.join(' ');

function makeEdits(seed: number): EditCase[] {
  const random = createRandom(seed);
  const edits: EditCase[] = [];
  while (edits.length < EDITS) {
    const edit = makeEdit(sources[random(sources.length)]!, random);
    if (edit !== undefined) edits.push(edit);
  }
  return edits;
}

describe.each(inject('isEndurance') ? [3, 17, 71] : [3])('edits with slips, seed %i', (seed) => {
  const edits = makeEdits(seed);
  const random = createRandom(seed + 1);
  const missed: string[] = [];
  const wrong: object[] = [];
  let tried = 0;
  for (const slip of SLIPS) {
    for (const edit of edits) {
      const slipped = slip.apply(edit, random);
      if (slipped === undefined || meaning(slipped.old) === meaning(slipped.replacement)) continue;
      tried++;
      const { content, old, replacement, expected } = slipped;
      const placed = placeEdit(content, { old, replacement, allowMultiple: false });
      if (placed.kind !== 'placed') {
        if (slip.outcome === 'placed') missed.push(slip.name);
        continue;
      }
      const result = applyToText(content, placed.splices);
      if (slip.outcome === 'refused' || meaning(result) !== meaning(expected)) {
        wrong.push({ slip: slip.name, old, replacement, result });
      }
    }
  }

  it('come to the edit meant or to none', () => {
    expect(wrong).toEqual([]);
  });

  it('are placed in at least 98 of 100 cases', () => {
    expect(tried).toBeGreaterThan(EDITS * 16);
    expect({ missed, isEnough: missed.length <= tried * 0.02 }).toEqual({ missed: expect.anything(), isEnough: true });
  });
});
