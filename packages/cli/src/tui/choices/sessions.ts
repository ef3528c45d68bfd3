/** `/resume` and `/chat`: lists earlier sessions of this folder, by title, age or a word of the conversation. */

import { getErrorMessage, listSessions } from '@castor/core';
import { deleteSession, searchSessions } from '@castor/core/program';
import type { SessionSummary } from '@castor/core';
import { sanitizeLine } from '../../sanitize.ts';
import type { CommandContext } from '../../slash/command.ts';
import type { App } from '../app/app.ts';
import type { SelectOption } from '../dialogs/select-dialog.ts';
import { shortAge } from '../render/short-age.ts';
import { changeSession } from '../app/session-change.ts';
import { createSessionPreviews } from './session-preview.ts';

type Choice = { readonly id: string; readonly isRemoved?: boolean } | { readonly words: string };

const MOST_MATCHES = 50;

export async function chooseSession(app: App, context: CommandContext): Promise<void> {
  let others = await listOthers(context);
  if (others.length === 0) return app.info('No earlier sessions in this folder.');
  const previews = createSessionPreviews(app, context);
  const list = () => sessionOptions(others, Date.now(), previews.hintOf);
  void previews.readAhead(others);
  for (let shown = list(); ;) {
    const choice = await app.dialogs.choose<Choice>(
      {
        title: 'Resume which session?',
        search: true,
        options: shown,
        whenSearched: searchInside,
        preview: (value, space) => previews.rows('id' in value ? value.id : undefined, space),
        keys: [['del', 'deletes']],
        enters: 'goes on with it',
        remove: (value) => ('id' in value ? { ...value, isRemoved: true } : value),
      },
      context.signal,
    );
    if (!choice) return;
    if ('words' in choice) {
      shown = await searchOthers(choice.words, others, context);
      if (shown.length > 0) continue;
      app.toast(`No session of this folder contains "${sanitizeLine(choice.words)}".`);
    } else if (choice.isRemoved) {
      await remove(
        app,
        others.find(({ id }) => id === choice.id)!,
        context,
      );
      others = await listOthers(context);
      if (others.length === 0) return;
    } else return changeSession(app, { resume: choice.id });
    shown = list();
  }
}

/** All but the one that is open, the latest first. */
async function listOthers({ home, agent }: CommandContext): Promise<readonly SessionSummary[]> {
  const sessions = await listSessions({ home, root: agent.workspace.root });
  return sessions
    .filter(({ id }) => id !== agent.session.sessionId)
    .toSorted((one, other) => other.lastUpdated - one.lastUpdated);
}

/** The age stands first, in a column of its own; the second column is asked for whenever the list is drawn. */
function sessionOptions(
  sessions: readonly SessionSummary[],
  now: number,
  hintOf: (id: string) => string,
): readonly SelectOption<Choice>[] {
  const ages = sessions.map(({ lastUpdated }) => shortAge(now - lastUpdated));
  const widest = Math.max(0, ...ages.map(({ length }) => length));
  return sessions.map(({ id, title }, index) => ({
    label: sanitizeLine(title),
    value: { id },
    mark: `${ages[index]!.padEnd(widest)} `,
    get hint() {
      return hintOf(id);
    },
  }));
}

async function searchOthers(
  words: string,
  others: readonly SessionSummary[],
  { home }: CommandContext,
): Promise<readonly SelectOption<Choice>[]> {
  const here = new Set(others.map(({ id }) => id));
  const matches = await searchSessions({ home, words: words.split(/\s+/), limit: MOST_MATCHES });
  return matches
    .filter(({ id }) => here.has(id))
    .map(({ id, title, excerpt }) => ({ label: sanitizeLine(title), value: { id }, hint: sanitizeLine(excerpt) }));
}

async function remove(app: App, { id, title }: SessionSummary, { home, agent, signal }: CommandContext): Promise<void> {
  const isMeant = await app.dialogs.choose(
    {
      title: `Delete "${sanitizeLine(title)}" permanently?`,
      options: [
        { label: 'No, keep it', value: false },
        { label: 'Yes, delete it', value: true },
      ],
      escape: false,
      escapes: 'keeps it',
    },
    signal,
  );
  if (!isMeant) return;
  try {
    await deleteSession(id, { home, root: agent.workspace.root });
    await (await import('../../start/collect-undo.ts')).collectUndo(app.options, app.state.recorder?.path);
    app.toast(`"${sanitizeLine(title)}" is deleted.`);
  } catch (error) {
    app.fail(`The session could not be deleted: ${getErrorMessage(error)}`);
  }
}

function searchInside(query: string): SelectOption<Choice> {
  return { label: `Search the conversations for "${sanitizeLine(query)}"`, value: { words: query } };
}
