/** Which parts the footer has: those a person listed, else the usual ones less what they hid. Pure. */

import type { Settings } from '@castor/core/program';

export const FOOTER_ITEMS = [
  'workspace',
  'git-branch',
  'model-name',
  'context-used',
  'memory-usage',
  'session-id',
  'hostname',
  'auth',
  'token-count',
  'code-changes',
] as const;

export type FooterItem = (typeof FOOTER_ITEMS)[number];

const KNOWN: ReadonlySet<string> = new Set(FOOTER_ITEMS);
/** From here on everybody should know how full the context is. */
const NEARLY_FULL = 0.8;

/** Names nobody knows, and those of what Castor does not have, are passed over. */
export function footerItems({ footer, showMemoryUsage }: Settings['ui'], contextUsed = 0): readonly FooterItem[] {
  const { items, hideCWD, hideModelInfo, hideContextPercentage } = footer;
  const memory: FooterItem[] = showMemoryUsage ? ['memory-usage'] : [];
  if (items) return [...new Set([...items.filter(isFooterItem), ...memory])];
  return [
    ...(hideCWD ? [] : (['workspace', 'git-branch'] as const)),
    ...(hideModelInfo ? [] : (['model-name'] as const)),
    ...(hideContextPercentage && contextUsed < NEARLY_FULL ? [] : (['context-used'] as const)),
    ...memory,
  ];
}

function isFooterItem(name: string): name is FooterItem {
  return KNOWN.has(name);
}
