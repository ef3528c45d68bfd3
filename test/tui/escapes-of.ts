/** What a terminal was told that is neither text nor one of our own sequences. */

import type { Terminal } from '@castor/testkit';

/* oxlint-disable no-control-regex -- control characters are what must not be there */
/** What the painters move, erase and switch with; never the whole screen, nor a colour that hides. */
const OURS = [
  /\x1b\[(?!8m)(?:\d+(?:;\d+)*)?m/g,
  /\x1b\[\d*[ABCDGKLMb]|\x1b\[J|\x08/g,
  /\x1b\[\?(?:7|45|2026|25|2004|1004)[hl]/g,
  /\x1b\[\?u|\x1b\[>c|\x1b\[[<>]\d*u|\x1b\[6n|\x1b[78]/g,
  /\x1b\]11;\?\x1b\\/g,
  /\x1b\]0;[^\x07\x1b]{0,80}\x07/g,
];
const NOT_TEXT =
  /[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff].{0,20}|[\u{e0000}-\u{e007f}]/gu;

/** Each with what follows it. */
export function escapesOf({ bytes }: Pick<Terminal, 'bytes'>): string[] {
  const rest = OURS.reduce((text, sequence) => text.replaceAll(sequence, ''), bytes);
  return rest.match(NOT_TEXT) ?? [];
}
