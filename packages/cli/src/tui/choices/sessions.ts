/** `/resume` and `/chat`: earlier sessions of this folder, by title, age or a word somebody said in them. */

import { listSessions, searchSessions } from '@castor/core';
import { sanitize } from '../../sanitize.ts';
import type { CommandContext } from '../../slash/command.ts';
import type { App } from '../app.ts';
import type { SelectOption } from '../dialogs/select-dialog.ts';
import { formatAge } from '../render/format-age.ts';
import { changeSession } from '../session-change.ts';

type Choice = { readonly id: string } | { readonly words: string };

const MOST_MATCHES = 50;

export async function chooseSession(app: App, { home, agent, signal }: CommandContext): Promise<void> {
  const { root } = agent.workspace;
  const sessions = await listSessions({ home, root });
  const now = Date.now();
  const others = sessions
    .filter(({ id }) => id !== agent.session.sessionId)
    .toSorted((one, other) => other.lastUpdated - one.lastUpdated);
  if (others.length === 0) return app.info('There are no earlier sessions in this folder.');
  const options = others.map((session) => ({
    label: oneLine(session.title),
    value: { id: session.id },
    hint: formatAge(now - session.lastUpdated),
  }));
  for (let shown: readonly SelectOption<Choice>[] = options; ;) {
    const choice = await app.dialogs.choose<Choice>(
      { title: 'Go on with which session?', search: true, options: shown, whenSearched: searchInside },
      signal,
    );
    if (!choice) return;
    if ('id' in choice) return changeSession(app, { resume: choice.id });
    const here = new Set(others.map(({ id }) => id));
    const matches = await searchSessions({ home, words: choice.words.split(/\s+/), limit: MOST_MATCHES });
    shown = matches
      .filter(({ id }) => here.has(id))
      .map(({ id, title, excerpt }) => ({ label: oneLine(title), value: { id }, hint: oneLine(excerpt) }));
    if (shown.length > 0) continue;
    app.toast(`Nobody said "${oneLine(choice.words)}" in a session of this folder.`);
    shown = options;
  }
}

function searchInside(query: string): SelectOption<Choice> {
  return { label: `Look for "${oneLine(query)}" in what was said`, value: { words: query } };
}

function oneLine(text: string): string {
  return sanitize(text).replaceAll(/\s+/g, ' ').trim();
}
