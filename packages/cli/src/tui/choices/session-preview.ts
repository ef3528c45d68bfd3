/** The last exchange of a session, for the list of sessions: read when it is chosen, and kept. */

import { GeminiEventType } from '@castor/core';
import type { AgentEvent } from '@castor/core';
import { countOf, loadSession } from '@castor/core/program';
import { sanitizeLine } from '../../sanitize.ts';
import type { CommandContext } from '../../slash/command.ts';
import type { App } from '../app/app.ts';
import type { DialogSpace } from '../dialogs/dialog.ts';
import { shortenRow } from '../text/row-width.ts';

interface Exchange {
  readonly prompts: number;
  readonly asked: string;
  readonly answered: string;
}

const ANSWER_LINES = 2;
/** As many for every session, so that nothing moves. */
const PREVIEW_ROWS = 2 + ANSWER_LINES;

export function createSessionPreview(
  app: Pick<App, 'screen'>,
  { home, agent }: CommandContext,
): (id: string | undefined, space: DialogSpace) => string[] {
  const known = new Map<string, Exchange | undefined>();
  const load = async (id: string): Promise<void> => {
    known.set(id, undefined);
    // A session that cannot be read has no preview; resuming it says why.
    const session = await loadSession(id, { home, root: agent.workspace.root }).catch(() => undefined);
    if (session) known.set(id, lastExchange(session.events));
    app.screen.drawNow();
  };
  return (id, space) => {
    if (id !== undefined && !known.has(id)) void load(id);
    const exchange = id === undefined ? undefined : known.get(id);
    const rows = exchange ? previewRows(exchange, space) : [];
    return [...rows, ...Array.from({ length: PREVIEW_ROWS - rows.length }, () => '')];
  };
}

export function lastExchange(events: readonly AgentEvent[]): Exchange {
  const starts = events.flatMap((event, index) =>
    event.type === 'prompt_started' && event.parentCallId === undefined ? [index] : [],
  );
  const start = starts.at(-1) ?? 0;
  const first = events[start];
  const answered = events
    .slice(start)
    .flatMap((event) =>
      event.type === GeminiEventType.Content && event.parentCallId === undefined ? [event.value] : [],
    )
    .join('');
  return { prompts: starts.length, asked: first?.type === 'prompt_started' ? (first.text ?? '') : '', answered };
}

export function previewRows({ prompts, asked, answered }: Exchange, { styles, width }: DialogSpace): string[] {
  const lines = answered
    .split('\n')
    .map(sanitizeLine)
    .filter((line) => line.trim() !== '');
  return [
    `  ${styles.secondary(`${countOf(prompts, 'message')}, the last:`)}`,
    ...(asked === '' ? [] : [`  ${styles.isSpoken ? 'You:' : styles.accent('❯')} ${styles.bold(sanitizeLine(asked))}`]),
    ...lines.slice(-ANSWER_LINES).map((line) => `    ${styles.secondary(line)}`),
  ].map((row) => shortenRow(row, width));
}
