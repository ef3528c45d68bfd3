/**
 * Asks for approval of a plan, which is printed above in full: yes with or without further questions, or no with what
 * should change.
 */

import type { ConfirmationPayload } from '@castor/core';
import { makeVisibleLine } from '../../make-visible.ts';
import { wrapRows } from '../text/wrap-rows.ts';
import type { DialogHost } from './dialog-host.ts';
import { LineInput } from './line-input.ts';

export interface PlanSubject {
  readonly path: string;
  /** What Castor counted in it: `7 steps`; empty if nothing. */
  readonly facts: string;
}

/** Words for the model. */
interface Refusal {
  readonly words: string;
}

export async function askAboutPlan(
  { path, facts }: PlanSubject,
  host: DialogHost,
  signal: AbortSignal,
): Promise<ConfirmationPayload | undefined> {
  const answer = await host.choose<'autoEdit' | 'default' | Refusal>(
    {
      title: 'Carry out this plan?',
      ...(facts !== '' && { why: facts }),
      body: ({ styles, width }) => wrapRows(styles.link(makeVisibleLine(path)), { width: width - 4 }),
      options: [
        { label: 'Yes, asking before each edit', value: 'default' },
        { label: 'Yes, accepting edits', value: 'autoEdit' },
        {
          label: 'No, and say what should change',
          value: { words: '' },
          input: {
            line: new LineInput(),
            lead: 'No, ',
            placeholder: 'say what should change',
            enters: 'refuses it',
            escapes: 'refuses it without words',
            toValue: (words) => ({ words: words.trim() }),
          },
        },
      ],
      escape: { words: '' },
      escapes: 'no',
    },
    signal,
  );
  if (answer === undefined) return undefined;
  if (typeof answer === 'string') return { approved: true, approvalMode: answer };
  return { approved: false, ...(answer.words !== '' && { feedback: answer.words }) };
}
