/** The first lines of a conversation: where it is, what was loaded, how to begin. Short: users see them every time. Pure. */

import { sanitizeLine } from '../../sanitize.ts';
import { shortenRow } from '../text/row-width.ts';
import { proseWidth, wrapRows } from '../text/wrap-rows.ts';
import type { Styles } from '../theme/styles.ts';

export interface BannerOptions {
  readonly version: string;
  readonly folder: string;
  readonly branch?: string | undefined;
  /** What counts here: the model, the mode, files, servers. */
  readonly facts: readonly string[];
  readonly styles: Styles;
  readonly width: number;
  /** `ui.hideTips`. */
  readonly hideTips?: boolean;
}

const TIPS = 'Ask, or tell it what to do. / commands · @ files · ! your shell';

export function renderBanner({ version, folder, branch, facts, styles, width, hideTips }: BannerOptions): string[] {
  const place = styles.link(sanitizeLine(folder)) + (branch ? styles.secondary(` (${sanitizeLine(branch)})`) : '');
  const name = `${styles.bold(styles.gradient('castor'))} ${styles.secondary(version)}`;
  // A voice has no sign for what lies between two things.
  const between = styles.isSpoken ? ', ' : ' · ';
  const known = facts.map(sanitizeLine).join(between);
  return [
    '',
    shortenRow(`${name}  ${place}`, width),
    ...(known === '' ? [] : wrapRows(styles.secondary(known), { width: proseWidth(width) })),
    ...(hideTips ? [] : wrapRows(styles.secondary(TIPS.replaceAll(' · ', between)), { width: proseWidth(width) })),
  ];
}
