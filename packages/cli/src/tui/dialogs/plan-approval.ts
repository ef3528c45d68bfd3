/**
 * Asks for approval of a plan, which is printed above in full: yes with or without further questions, or no with what
 * should change.
 */

import type { ConfirmationPayload } from '@castor/core';
import { makeVisibleLine } from '../../make-visible.ts';
import { wrapRows } from '../text/wrap-rows.ts';
import type { DialogHost } from './dialog-host.ts';

export interface PlanSubject {
  readonly path: string;
  /** What Castor counted in it: `7 steps`; empty if nothing. */
  readonly facts: string;
}

export async function askAboutPlan(
  { path, facts }: PlanSubject,
  host: DialogHost,
  signal: AbortSignal,
): Promise<ConfirmationPayload | undefined> {
  const answer = await host.choose<'autoEdit' | 'default' | 'no'>(
    {
      title: 'Carry out this plan?',
      ...(facts !== '' && { why: facts }),
      body: ({ styles, width }) => wrapRows(styles.link(makeVisibleLine(path)), { width: width - 4 }),
      options: [
        { label: 'Yes, asking before each edit', value: 'default' },
        { label: 'Yes, accepting edits', value: 'autoEdit' },
        { label: 'No, and say what should change', value: 'no' },
      ],
      escape: 'no',
      escapes: 'no',
    },
    signal,
  );
  if (answer === undefined) return undefined;
  if (answer !== 'no') return { approved: true, approvalMode: answer };
  const feedback = await host.askText(
    {
      title: 'What should change?',
      placeholder: 'say it, or just press enter',
      keys: 'enter answers · esc answers without words',
    },
    signal,
  );
  return { approved: false, ...(feedback?.trim() && { feedback: feedback.trim() }) };
}
