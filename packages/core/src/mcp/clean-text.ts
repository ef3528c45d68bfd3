/** Makes text from a server harmless: without escape sequences and control characters, and bounded. Pure. */

import { cleanOutput } from '../tools/shell/clean-output.ts';
import { withoutHiddenCharacters } from '../util/hidden-characters.ts';
import { shorten, toOneLine } from '../util/short-text.ts';

/** The content of a result: line breaks, tabs and every visible character stay. */
export function cleanContent(text: string): string {
  // oxlint-disable-next-line no-control-regex -- the pattern matches control characters
  return /[\u0000-\u0008\u000B-\u001F\u007F-\u009F]/.test(text) ? cleanOutput(Buffer.from(text)) : text.toWellFormed();
}

/** A description or an instruction: also without characters that a model reads and the user does not see. */
export function cleanDescription(text: string, length: number): string {
  return shorten(withoutHiddenCharacters(cleanContent(text)).text.trim(), length);
}

/** A name or a message for one line of the user's screen. */
export function cleanLine(text: string, length: number): string {
  return toOneLine(cleanDescription(text, length));
}
