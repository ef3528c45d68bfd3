/**
 * The characters a terminal acts on or draws as nothing: C0 except tab and newline, DEL, C1, marks of direction,
 * characters without width, fillers, variation selectors, tags, and the format controls of
 * hieroglyphs, shorthand and musical notes.
 */

export const UNSEEN_CHARACTERS =
  // oxlint-disable-next-line no-control-regex, no-misleading-character-class -- control characters are what this file is about
  /[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff0-\ufffb]|[\ufe00-\ufe0f]|[\u{13430}-\u{1343f}\u{1bca0}-\u{1bca3}\u{1d173}-\u{1d17a}\u{e0000}-\u{e0fff}]/gu;
