/**
 * `/diff`: the files this session has changed, each with its changes; one is kept, or reverted to what it was before.
 * What is known comes through a port, so that another record of changes can fill it.
 */

import { countOf, listRewindPoints, revertEdits } from '@castor/core/program';
import type { RewindPoint } from '@castor/core/program';
import { sanitizeLine } from '../../sanitize.ts';
import type { App } from '../app/app.ts';
import type { DialogSpace } from '../dialogs/dialog.ts';
import { renderDiff } from '../render/diff.ts';
import { countChanges } from '../render/parse-diff.ts';

/** A file that changed, and the changes on record. */
export interface ChangedFile {
  readonly path: string;
  /** As the user knows it. */
  readonly name: string;
  /** Unified diffs, oldest first. */
  readonly diffs: readonly string[];
}

export interface ChangePort {
  list(): readonly ChangedFile[];
  /** Sentences about what could not be reverted. */
  revert(file: ChangedFile): Promise<readonly string[]>;
}

const PREVIEW_ROWS = 10;

/** Reverts only where it is certain: a file that another program has changed since stays. */
export function recordedChanges({ state }: App): ChangePort {
  const { agent, recorder } = state;
  const edits: RewindPoint['edits'] =
    agent && recorder ? (listRewindPoints({ chat: agent.chat, recorder })[0]?.edits ?? []) : [];
  return {
    list() {
      const paths = [...new Set(edits.map(({ path }) => path))];
      return paths.map((path) => ({
        path,
        name: sanitizeLine(agent?.workspace.relative(path) ?? path),
        diffs: edits.filter((edit) => edit.path === path).map(({ diff }) => diff),
      }));
    },
    async revert({ path }) {
      if (!agent) return [];
      const own = edits.filter((edit) => edit.path === path);
      return (await revertEdits(own, agent.workspace)).problems;
    },
  };
}

export async function chooseChanges(app: App, signal: AbortSignal, port = recordedChanges(app)): Promise<void> {
  const kept = new Map<string, number>();
  const outcomes: string[] = [];
  for (;;) {
    // A file that is kept comes back when it changes again.
    const files = port.list().filter(({ path, diffs }) => kept.get(path) !== diffs.length);
    if (files.length === 0) break;
    const file = await app.dialogs.choose(
      {
        title: `Changed in this session`,
        search: true,
        options: files.map((each) => ({ label: each.name, value: each, hint: countText(each) })),
        preview: (each, space) => previewOf(each, space, app),
        escapes: 'keeps all',
      },
      signal,
    );
    if (!file) break;
    const action = await decide(app, file, signal);
    if (action === 'keep') outcomes.push(`${file.name} kept`);
    if (action === 'revert') {
      const problems = await port.revert(file);
      for (const problem of problems) app.warn(problem);
      if (problems.length === 0) outcomes.push(`${file.name} reverted`);
    }
    if (action !== undefined) kept.set(file.path, file.diffs.length);
  }
  app.info(
    outcomes.length > 0 ? `${outcomes.join(', ')}.` : port.list().length > 0 ? 'Unchanged.' : 'No file has changed.',
  );
}

function decide(app: App, file: ChangedFile, signal: AbortSignal): Promise<'keep' | 'revert' | undefined> {
  return app.dialogs.choose<'keep' | 'revert'>(
    {
      title: file.name,
      facts: countText(file),
      body: ({ styles, width }) =>
        file.diffs.flatMap((diff) =>
          renderDiff(diff, { ...look(file, app), styles, width: width - 4, maxRows: Infinity }),
        ),
      options: [
        { label: 'Keep it', value: 'keep' },
        { label: `Revert it to what it was before this session`, value: 'revert' },
      ],
      escapes: 'goes back',
    },
    signal,
  );
}

function previewOf(file: ChangedFile, { styles, width }: DialogSpace, app: App): string[] {
  const rows = file.diffs.flatMap((diff) =>
    renderDiff(diff, { ...look(file, app), styles, width: width - 4, maxRows: PREVIEW_ROWS }),
  );
  return rows.slice(0, PREVIEW_ROWS).map((row) => `  ${row}`);
}

function look({ name }: ChangedFile, { grammars }: App) {
  return { fileName: name, grammars };
}

function countText({ diffs }: ChangedFile): string {
  const counts = diffs.map(countChanges);
  const added = counts.reduce((sum, count) => sum + count.added, 0);
  const removed = counts.reduce((sum, count) => sum + count.removed, 0);
  const edits = diffs.length > 1 ? ` · ${countOf(diffs.length, 'edit')}` : '';
  return `+${added} −${removed}${edits}`;
}
