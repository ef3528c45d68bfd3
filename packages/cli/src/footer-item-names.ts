/** The names of the parts a footer can have, for the terminal UI and for the line on unused settings. */

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

export function isFooterItemName(name: string): name is FooterItem {
  return KNOWN.has(name);
}
