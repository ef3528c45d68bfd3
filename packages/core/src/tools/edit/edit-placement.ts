/** The types of an edit to be placed and of the places found for it. */

import type { Splice } from '../files/text-file.ts';
import type { EditTexts } from './variants.ts';

export type EditStrategy = 'exact' | 'flexible' | 'regex' | 'fuzzy';

export interface EditRequest extends EditTexts {
  allowMultiple: boolean;
}

export type EditPlacement =
  | { kind: 'placed'; strategy: EditStrategy; splices: Splice[]; occurrences: number; lines: number[] }
  /** Candidate lines, from 1. */
  | { kind: 'ambiguous'; occurrences: number; lines: number[] }
  /** The closest region, lines from 1, if any. */
  | { kind: 'missing'; nearest?: { firstLine: number; lastLine: number } };
