/**
 * `/diff`: the files this session has changed, by tools, commands or sub-agents, each with its changes and the prompts that
 * made them; one is kept, or reverted to what it was before.
 */

import type { WorkspaceAgent } from '@castor/core';
import { countOf, listRewindPoints, revertEdits } from '@castor/core/program';
import { sanitizeLine } from '../../sanitize.ts';
import { changedFiles } from '../../slash/undo-service.ts';
import type { App } from '../app/app.ts';
import type { DialogSpace } from '../dialogs/dialog.ts';
import type { SelectQuestion } from '../dialogs/select-dialog.ts';
import { renderDiff } from '../render/diff.ts';
import { countChanges } from '../render/parse-diff.ts';

/** A file that changed, and the changes on record. */
interface ChangedFile {
  readonly path: string;
  /** As the user knows it. */
  readonly name: string;
  /** Unified diffs, oldest first. */
  readonly diffs: readonly string[];
  /** What changed where there is no diff. */
  readonly note?: string | undefined;
  /** The numbers of the prompts that changed it. */
  readonly prompts: readonly number[];
  /** Sentences about what could not be reverted. */
  revert(): Promise<readonly string[]>;
}

type Look = Pick<App, 'grammars'>;

const PREVIEW_ROWS = 10;

/** Everything in the workspace by undo's record; edits outside it, or without undo, by their own. */
async function listChanges({ state }: App): Promise<ChangedFile[]> {
  const { agent, recorder } = state;
  if (!agent || !recorder) return [];
  const { undo, workspace } = agent;
  const edits = listRewindPoints({ chat: agent.chat, recorder })[0]?.edits ?? [];
  const isShown = (path: string) => !undo || isOutside(workspace.relative(path));
  const others = [...new Set(edits.map(({ path }) => path))].filter(isShown).map((path): ChangedFile => {
    const own = edits.filter((edit) => edit.path === path);
    const revert = async () => (await revertEdits(own, workspace)).problems;
    const name = sanitizeLine(nameOf(path, workspace));
    return { path, name, diffs: own.map(({ diff }) => diff), prompts: [], revert };
  });
  if (!undo) return others;
  const files = (await changedFiles(agent)).map(({ path, diff, note, prompts }): ChangedFile => {
    const revert = () => undo.revert(path);
    return { path, name: sanitizeLine(path), diffs: diff === undefined ? [] : [diff], note, prompts, revert };
  });
  return [...files, ...others];
}

/** Inside the workspace, as the user knows it. */
function nameOf(path: string, workspace: WorkspaceAgent['workspace']): string {
  const name = workspace.relative(path);
  return isOutside(name) ? path : name;
}

function isOutside(relative: string): boolean {
  return /^\.\.(?:[\\/]|$)/.test(relative);
}

export async function chooseChanges(app: App, signal: AbortSignal): Promise<void> {
  const kept = new Set<string>();
  const outcomes: string[] = [];
  let changed: readonly ChangedFile[];
  for (;;) {
    changed = await listChanges(app);
    const files = changed.filter(({ path }) => !kept.has(path));
    if (files.length === 0) break;
    const file = await app.dialogs.choose(changesQuestion(files, app), signal);
    if (!file) break;
    const action = await app.dialogs.choose(decisionQuestion(file, app), signal);
    if (action === 'keep') outcomes.push(`${file.name} kept`);
    if (action === 'revert') {
      const problems = await file.revert();
      for (const problem of problems) app.warn(sanitizeLine(problem));
      if (problems.length === 0) outcomes.push(`${file.name} reverted`);
    }
    if (action !== undefined) kept.add(file.path);
  }
  app.info(outcomes.length > 0 ? `${outcomes.join(', ')}.` : changed.length > 0 ? 'unchanged' : 'No file has changed.');
}

export function changesQuestion(files: readonly ChangedFile[], look: Look): SelectQuestion<ChangedFile> {
  return {
    title: 'Changed in this session',
    search: true,
    options: files.map((each) => ({ label: each.name, value: each, hint: hintOf(each) })),
    preview: (each, space) => previewOf(each, space, look),
    enters: 'keeps or reverts it',
    escapes: 'keeps all',
  };
}

export function decisionQuestion(file: ChangedFile, look: Look): SelectQuestion<'keep' | 'revert'> {
  return {
    title: file.name,
    facts: hintOf(file),
    body: ({ styles, width }) =>
      file.diffs.length === 0
        ? [sanitizeLine(file.note ?? '')]
        : file.diffs.flatMap((diff) =>
            renderDiff(diff, { ...lookOf(file, look), styles, width: width - 4, maxRows: Infinity, wraps: true }),
          ),
    options: [
      { label: 'Keep it', value: 'keep' },
      { label: 'Revert it to what it was before this session', value: 'revert' },
    ],
    escapes: 'goes back',
  };
}

function previewOf(file: ChangedFile, { styles, width }: DialogSpace, look: Look): string[] {
  const rows = file.diffs.flatMap((diff) =>
    renderDiff(diff, { ...lookOf(file, look), styles, width: width - 4, maxRows: PREVIEW_ROWS }),
  );
  const shown = rows.length === 0 && file.note !== undefined ? [sanitizeLine(file.note)] : rows;
  return shown.slice(0, PREVIEW_ROWS).map((row) => `  ${row}`);
}

function lookOf({ name }: ChangedFile, { grammars }: Look) {
  return { fileName: name, grammars };
}

function hintOf({ diffs, prompts }: ChangedFile): string {
  const counts = diffs.map(countChanges);
  const added = counts.reduce((sum, count) => sum + count.added, 0);
  const removed = counts.reduce((sum, count) => sum + count.removed, 0);
  return [
    ...(added + removed > 0
      ? [[added > 0 && `+${added}`, removed > 0 && `−${removed}`].filter(Boolean).join(' ')]
      : []),
    ...(diffs.length > 1 ? [countOf(diffs.length, 'edit')] : []),
    ...(prompts.length > 0 ? [`${prompts.length === 1 ? 'prompt' : 'prompts'} ${prompts.join(', ')}`] : []),
  ].join(' · ');
}
