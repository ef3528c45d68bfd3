/** The first lines of a conversation. Short: users see them every time. Pure. */

import type { Styles } from '../theme/styles.ts';
import { wrapRows } from './wrap-rows.ts';

export interface BannerOptions {
  readonly version: string;
  readonly styles: Styles;
  readonly width: number;
  /** `ui.hideTips`. */
  readonly hideTips?: boolean;
}

const TIPS = 'Ask or tell it what to do. /help for commands, @ for files, ! for the shell.';

export function renderBanner({ version, styles, width, hideTips = false }: BannerOptions): string[] {
  return [
    '',
    ` ${styles.bold(styles.gradient('castor'))} ${styles.secondary(version)}`,
    ...(hideTips ? [] : wrapRows(styles.secondary(TIPS), { width, first: ' ' })),
  ];
}
