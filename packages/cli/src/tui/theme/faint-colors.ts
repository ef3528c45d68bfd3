/** Finds the text colours of a theme that are hard to read on the background of this terminal. Pure. */

import { READABLE, contrastOf } from './contrast.ts';
import type { Theme } from './theme-colors.ts';

export interface FaintColor {
  /** What is written in it. */
  readonly use: string;
  readonly contrast: number;
}

/** The faintest first. A colour that only the terminal knows is not judged. */
export function findFaintColors({ text, status, ui }: Theme, background: string): FaintColor[] {
  const uses: Readonly<Record<string, string>> = {
    text: text.primary,
    hints: text.secondary,
    links: text.link,
    accents: text.accent,
    code: ui.symbol,
    comments: ui.comment,
    success: status.success,
    warnings: status.warning,
    errors: status.error,
  };
  return Object.entries(uses)
    .flatMap(([use, color]) => {
      const contrast = contrastOf(color, background);
      return contrast === undefined || contrast >= READABLE ? [] : [{ use, contrast }];
    })
    .toSorted((one, other) => one.contrast - other.contrast);
}
