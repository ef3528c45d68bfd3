/** The signs of a state in pages of words, one cell each and without an emoji form. */

export const STATUS_MARKS = { works: '✓', failed: '✗', blocked: '!', off: '-', underWay: '▸' } as const;
