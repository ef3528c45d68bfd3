/** `/undo` and `/redo`: shows what would happen, with diffs on request, and does it when the user agrees. */

import { getErrorMessage } from '@castor/core';
import type { WorkspaceAgent } from '@castor/core';
import { makeVisible } from '../../make-visible.ts';
import { countPreview, describeDiffs, describePreview, diffText } from '../../slash/undo-texts.ts';
import { applyPreview, atDesk, parseUndoWords, previewOf, withEarlier } from '../../slash/undo-service.ts';
import type { Desk, UndoWish } from '../../slash/undo-service.ts';
import type { App } from '../app/app.ts';
import { wrapRows } from '../text/wrap-rows.ts';

type Choice = 'apply' | 'diffs' | 'cancel';

export async function chooseUndo(app: App, words: string, signal: AbortSignal): Promise<void> {
  const { agent } = app.state;
  const wish = parseUndoWords(words);
  if (!agent) return app.info('Nothing to undo yet.');
  if (typeof wish === 'string') return app.fail(wish);
  try {
    await atDesk(agent, wish, (at) => confirm(app, agent, wish, at, signal));
  } catch (error) {
    app.fail(wish.isRedo ? getErrorMessage(error) : await withEarlier(error, agent));
  }
}

async function confirm(app: App, agent: WorkspaceAgent, wish: UndoWish, at: Desk, signal: AbortSignal): Promise<void> {
  const preview = await previewOf(at.desk, wish);
  if (wish.isSure) return app.info(await applyPreview(agent, at, preview));
  if (preview.changes.length === 0) return app.info(describePreview(preview).trim());
  for (;;) {
    const choice = await app.dialogs.choose<Choice>(
      {
        title: wish.isRedo ? 'Redo the last undo?' : 'Undo these changes?',
        // The counts come first: what does not fit can be scrolled to.
        body: ({ width }) =>
          [countPreview(preview), '', ...describePreview(preview).trim().split('\n')].flatMap((row) =>
            wrapRows(makeVisible(row), { width: width - 4 }),
          ),
        options: [
          { label: wish.isRedo ? 'Redo' : 'Undo', value: 'apply' },
          { label: 'Show the diffs first', value: 'diffs' },
          { label: 'Cancel', value: 'cancel' },
        ],
        escape: 'cancel',
        escapes: 'cancels',
      },
      signal,
    );
    if (choice === 'apply') return app.info(await applyPreview(agent, at, preview));
    if (choice !== 'diffs') return app.info(wish.isRedo ? 'Nothing was redone.' : 'Nothing was undone.');
    app.info(`${describePreview(preview)}\n${diffText(await describeDiffs(at.desk, preview))}`);
  }
}
