/**
 * Measures how wide this terminal draws emoji, joined emoji and Indic vowel signs: prints a sample of each at the start
 * of the line, queries the cursor position, and erases the line. The answers form the profile that rows are wrapped
 * with. Without an answer the default applies.
 */

import { DEFAULT_WIDTHS } from '../text/graphemes.ts';
import type { WidthProfile } from '../text/graphemes.ts';
import type { InputReport } from './key-parser.ts';

/** A face; a family; a heart with an emoji variation selector; a letter with a sign beside it. */
const SAMPLES = ['😀', '👩‍👧', '❤️', 'हि'] as const;

export const PROBE_COUNT = SAMPLES.length;

/** The bytes to write. They use the cursor's line, and leave the cursor where it was. */
export const PROBE_BYTES = `\x1b7${SAMPLES.map((sample) => `\r${sample}\x1b[6n`).join('')}\r\x1b[K\x1b8`;

export interface WidthProbe {
  /** The samples were printed. */
  begin(): void;
  /** Whether the report is an answer to a sample. */
  take(report: InputReport): boolean;
}

export function createWidthProbe(onWidths: (widths: WidthProfile) => void): WidthProbe {
  let columns: number[] | undefined;
  return {
    begin: () => void (columns = []),
    take(report) {
      if (report.kind !== 'cursor' || columns === undefined) return false;
      columns.push(report.column);
      if (columns.length < PROBE_COUNT) return true;
      onWidths(toWidthProfile(columns));
      columns = undefined;
      return true;
    },
  };
}

/** The profile from the reported columns, in the order of the samples. */
export function toWidthProfile(columns: readonly number[]): WidthProfile {
  const [face = 3, family = 3, heart = 3, letter = 3] = columns;
  const emoji = face - 1 === 1 ? 1 : 2;
  const profile: WidthProfile = {
    emoji,
    joins: family - 1 <= emoji,
    variation: heart - 1 === 1 ? 1 : 2,
    spacingMarks: letter - 1 === 1 ? 0 : 1,
  };
  return isDefault(profile) ? DEFAULT_WIDTHS : profile;
}

function isDefault({ emoji, joins, variation, spacingMarks }: WidthProfile): boolean {
  const standard = DEFAULT_WIDTHS;
  return (
    emoji === standard.emoji &&
    joins === standard.joins &&
    variation === standard.variation &&
    spacingMarks === standard.spacingMarks
  );
}
