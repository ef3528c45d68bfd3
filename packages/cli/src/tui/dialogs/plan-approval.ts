/**
 * Asks for approval of a plan: prints it above in full, then offers yes with or without further questions, or no with
 * what should change.
 */

import type { ConfirmationPayload } from '@castor/core';
import { makeVisibleLine } from '../../make-visible.ts';
import type { DialogHost } from './dialog-host.ts';

export async function askAboutPlan(
  planPath: string,
  host: DialogHost,
  signal: AbortSignal,
): Promise<ConfirmationPayload | undefined> {
  const answer = await host.choose<'autoEdit' | 'default' | 'no'>(
    {
      title: `Approve the plan? (${makeVisibleLine(planPath)})`,
      options: [
        { label: 'Yes, and ask before every edit', value: 'default' },
        { label: 'Yes, and accept edits without asking', value: 'autoEdit' },
        { label: 'No, describe the changes (esc)', value: 'no' },
      ],
      escape: 'no',
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
