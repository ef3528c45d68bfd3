/**
 * Removes characters that an editor does not show and a model reads: controls, direction
 * marks, zero-width and tag characters, variation selectors used as an alphabet. Pure.
 */

/** Joiners are letters in some scripts and emoji, so they are allowed between non-ASCII characters. */
const HIDDEN =
  // oxlint-disable-next-line no-control-regex, no-misleading-character-class -- these are what is looked for
  /[\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F-\u009F\u00AD\u034F\u061C\u115F\u1160\u17B4\u17B5\u180E\u200B\u200E\u200F\u202A-\u202E\u2060-\u206F\u3164\uFEFF\uFFA0\uFFF0-\uFFFB\u{E0000}-\u{E0FFF}]|(?<![^\u0000-\u007F])[\u200C\u200D]|[\u200C\u200D](?![^\u0000-\u007F])/gu;

export interface VisibleText {
  text: string;
  /** How many were removed. */
  count: number;
  /** Line of the first one, from 1; 0 without any. */
  line: number;
}

export function withoutHiddenCharacters(given: string): VisibleText {
  const first = given.search(HIDDEN);
  if (first < 0) return { text: given, count: 0, line: 0 };
  let count = 0;
  const text = given.replaceAll(HIDDEN, () => {
    count++;
    return '';
  });
  return { text, count, line: given.slice(0, first).split('\n').length };
}
