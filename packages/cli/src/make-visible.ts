/**
 * Makes text the user must judge visible, such as a command to approve: nothing in it is dropped. Invisible characters
 * are spelled out, and a long run of spaces, which would push the rest out of sight, is counted. Pure.
 */

import { UNSEEN_CHARACTERS } from './unseen-characters.ts';

const LONG_SPACE = /[^\S\n]{9,}/g;
const MANY_LINES = /\n{4,}/g;

/** Keeps line ends; a tab becomes four spaces. */
export function makeVisible(text: string): string {
  return text
    .toWellFormed()
    .replaceAll('\r\n', '\n')
    .replaceAll(UNSEEN_CHARACTERS, spell)
    .replaceAll('\t', '    ')
    .replaceAll(LONG_SPACE, countSpaces)
    .replaceAll(MANY_LINES, (lines) => `\n⟨${lines.length - 1} empty lines⟩\n`);
}

/** The same on one line. */
export function makeVisibleLine(text: string): string {
  return makeVisible(text).replaceAll('\n', '⏎');
}

function spell(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  if (code === 0x1b) return '\\e';
  if (code === 0x0d) return '\\r';
  if (code < 0x100) return `\\x${code.toString(16).padStart(2, '0')}`;
  return `\\u{${code.toString(16)}}`;
}

/** Indentation at the beginning of a line is shown as it is, up to a limit. */
function countSpaces(run: string, offset: number, whole: string): string {
  const isIndent = offset === 0 || whole[offset - 1] === '\n';
  return isIndent && run.length <= 40 ? run : `⟨${run.length} spaces⟩`;
}
