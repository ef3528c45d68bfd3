/**
 * What is known of the sessions of a list: for each how long it is and what it changed, for the chosen one its last
 * exchange. They are read one after the other, those that are chosen first; a long one only when it is chosen.
 */

import { statSync } from 'node:fs';
import { setImmediate as afterInput } from 'node:timers/promises';
import { GeminiEventType } from '@castor/core';
import type { AgentEvent, SessionSummary } from '@castor/core';
import { countOf, loadSession } from '@castor/core/program';
import { sanitizeLine } from '../../sanitize.ts';
import type { CommandContext } from '../../slash/command.ts';
import type { App } from '../app/app.ts';
import type { DialogSpace } from '../dialogs/dialog.ts';
import { renderInline } from '../render/inline.ts';
import { countChanges } from '../render/parse-diff.ts';
import { shortenRow } from '../text/row-width.ts';

interface SessionFacts {
  readonly prompts: number;
  readonly added: number;
  readonly removed: number;
  /** The last exchange. */
  readonly asked: string;
  readonly answered: string;
}

const ANSWER_LINES = 3;
/** As many for every session, so that nothing moves. */
const PREVIEW_ROWS = 1 + ANSWER_LINES;
/** More are read while the keys wait: such a session is read when it is chosen. */
const MOST_BYTES = 1_000_000;
/** As many as a list shows. */
const READ_AHEAD = 12;

export interface SessionPreviews {
  /** The second column: `12 messages · +62 −1`; empty until it is known. */
  hintOf(id: string): string;
  /** Below the list. */
  rows(id: string | undefined, space: DialogSpace): string[];
  /** Reads the first sessions of the list. */
  readAhead(sessions: readonly Pick<SessionSummary, 'id' | 'path'>[]): Promise<void>;
}

export function createSessionPreviews(
  { screen }: Pick<App, 'screen'>,
  { home, agent, signal }: CommandContext,
): SessionPreviews {
  const known = new Map<string, SessionFacts | undefined>();
  const load = async (id: string): Promise<void> => {
    known.set(id, undefined);
    // A session that cannot be read has no preview; resuming it says why.
    const session = await loadSession(id, { home, root: agent.workspace.root }).catch(() => undefined);
    if (session) known.set(id, factsOf(session.events));
    if (!signal.aborted) screen.drawNow();
  };
  return {
    hintOf: (id) => hintOf(known.get(id)),
    rows(id, space) {
      if (id !== undefined && !known.has(id)) void load(id);
      const facts = id === undefined ? undefined : known.get(id);
      const rows = facts ? exchangeRows(facts, space) : [];
      return [...rows, ...Array.from({ length: PREVIEW_ROWS - rows.length }, () => '')];
    },
    async readAhead(sessions) {
      for (const { id, path } of sessions.slice(0, READ_AHEAD)) {
        await afterInput();
        if (signal.aborted) return;
        if (!known.has(id) && sizeOf(path) <= MOST_BYTES) await load(id);
      }
    },
  };
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

function factsOf(events: readonly AgentEvent[]): SessionFacts {
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
  const changes = events.flatMap(diffsOf).map(countChanges);
  return {
    prompts: starts.length,
    added: changes.reduce((sum, { added }) => sum + added, 0),
    removed: changes.reduce((sum, { removed }) => sum + removed, 0),
    asked: first?.type === 'prompt_started' ? (first.text ?? '') : '',
    answered,
  };
}

function diffsOf(event: AgentEvent): string[] {
  if (event.type !== GeminiEventType.ToolCallResponse) return [];
  const { resultDisplay, error } = event.value;
  const isDiff = typeof resultDisplay === 'object' && resultDisplay !== null && 'fileDiff' in resultDisplay;
  return isDiff && error === undefined ? [resultDisplay.fileDiff] : [];
}

function hintOf(facts: SessionFacts | undefined): string {
  if (!facts) return '';
  const { prompts, added, removed } = facts;
  const changes = [added > 0 && `+${added}`, removed > 0 && `−${removed}`].filter(Boolean).join(' ');
  return [countOf(prompts, 'message'), changes].filter(Boolean).join(' · ');
}

function exchangeRows({ asked, answered }: SessionFacts, { styles, width }: DialogSpace): string[] {
  const lines = answered
    .split('\n')
    .map(sanitizeLine)
    .filter((line) => line.trim() !== '');
  return [
    ...(asked === '' ? [] : [`  ${styles.isSpoken ? 'You:' : styles.accent('❯')} ${styles.bold(sanitizeLine(asked))}`]),
    // As the answer was shown: without the marks of its source.
    ...lines.slice(-ANSWER_LINES).map((line) => `    ${styles.secondary(renderInline(line, styles))}`),
  ].map((row) => shortenRow(row, width));
}
