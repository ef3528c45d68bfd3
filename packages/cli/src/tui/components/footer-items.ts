/** The parts of the footer: those the user listed, else the usual ones less the hidden ones. Pure. */

import type { Settings } from '@castor/core/program';
import { isFooterItemName } from '../../footer-item-names.ts';
import type { FooterItem } from '../../footer-item-names.ts';

/** From this share on the footer always shows how full the context is. */
const NEARLY_FULL = 0.8;

/** Skips unknown names and items Castor does not have. */
export function footerItems({ footer, showMemoryUsage }: Settings['ui'], contextUsed = 0): readonly FooterItem[] {
  const { items, hideCWD, hideModelInfo, hideContextPercentage } = footer;
  const memory: FooterItem[] = showMemoryUsage ? ['memory-usage'] : [];
  if (items) return [...new Set([...items.filter(isFooterItemName), ...memory])];
  return [
    ...(hideCWD ? [] : (['workspace', 'git-branch'] as const)),
    ...(hideModelInfo ? [] : (['model-name'] as const)),
    ...(hideContextPercentage && contextUsed < NEARLY_FULL ? [] : (['context-used'] as const)),
    ...memory,
  ];
}
