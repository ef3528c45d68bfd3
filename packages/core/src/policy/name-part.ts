/** Names a part of a command line in a message: in one line, clipped, between backticks. */

import { shorten, toOneLine } from '../util/short-text.ts';

const MAX_LENGTH = 100;
/** `< file` after a group counts as a command of its own. */
const REDIRECTION = /^\s*(?:\d+|\{\w+\}|&)?[<>]/;

export function namePart(part: string): string {
  return `the ${REDIRECTION.test(part) ? 'redirection' : 'part'} ${quoteLine(part)}`;
}

export function quoteLine(line: string): string {
  return `\`${shorten(toOneLine(line), MAX_LENGTH)}\``;
}
