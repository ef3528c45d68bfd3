/** The rows above a resumed conversation: its title, how long it is, how old. Pure. */

import { countOf } from '@castor/core/program';
import { sanitizeLine } from '../../sanitize.ts';
import { shortAge } from '../render/short-age.ts';
import { shortenRow } from '../text/row-width.ts';
import { wrapRows } from '../text/wrap-rows.ts';
import type { Styles } from '../theme/styles.ts';

export interface ResumedConversation {
  readonly title: string;
  /** The user's. */
  readonly messages: number;
  /** Milliseconds since its last line; undefined where it is unknown. */
  readonly age: number | undefined;
}

export function renderResumeHeader(
  { title, messages, age }: ResumedConversation,
  { styles, width }: { styles: Styles; width: number },
): string[] {
  const ago = age === undefined ? '' : shortAge(age);
  const facts = [countOf(messages, 'message'), ago === '' ? '' : ago === 'now' ? 'just now' : `${ago} ago`];
  const words = sanitizeLine(title);
  if (styles.isSpoken) return [`Resumed: ${words}. ${facts.filter(Boolean).join(', ')}.`];
  const told = styles.secondary(facts.filter(Boolean).join(' · '));
  return [
    shortenRow(`${styles.border('──')} ${styles.bold(words)}`, width),
    ...wrapRows(told, { width, first: '   ', rest: '   ' }),
  ];
}
