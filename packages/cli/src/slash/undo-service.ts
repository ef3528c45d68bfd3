/** What `/undo`, `/redo` and `/diff` do with the session's undo, on every surface. Throws an Error with a sentence. */

import { countOf, sessionChanges, UndoError } from '@castor/core/program';
import type { WorkspaceAgent } from '@castor/core';
import type { DescribedChange, UndoDesk, UndoPreview, UndoSelection } from '@castor/core/program';
import { noteFor } from '../commands/undo.ts';
import { describeDiffs, describeOutcome, describePreview, diffText } from '../commands/undo-text.ts';
import { sanitizeLine } from '../sanitize.ts';

export interface UndoWish {
  readonly isRedo: boolean;
  readonly selection: UndoSelection;
  readonly withGit: boolean;
  readonly isSure: boolean;
}

/** A sentence for invalid words. */
export function parseUndoWords(args: string): UndoWish | string {
  const words = args.split(/\s+/).filter((word) => word !== '');
  const flags = words.filter((word) => word.startsWith('--'));
  const unknown = flags.find((flag) => flag !== '--git' && flag !== '--yes');
  if (unknown !== undefined) return `${unknown} is an unknown option of /undo.`;
  const [first, second, ...rest] = words.filter((word) => !word.startsWith('--'));
  const isRedo = first === 'redo';
  const common = { isRedo, withGit: flags.includes('--git'), isSure: flags.includes('--yes') };
  const usage = 'Use /undo, /undo <number of prompts>, /undo to <prompt> or /undo call <id>.';
  if (rest.length > 0) return usage;
  if (first === undefined || (isRedo && second === undefined)) return { ...common, selection: { last: 1 } };
  if (first === 'to' && second !== undefined) return { ...common, selection: { to: second } };
  if (first === 'call' && second !== undefined) return { ...common, selection: { call: second } };
  const last = Number(first);
  if (second !== undefined || !Number.isInteger(last) || last < 1) return usage;
  return { ...common, selection: { last } };
}

export async function openDesk({ undo }: WorkspaceAgent): Promise<UndoDesk> {
  if (!undo) throw new UndoError('Undo is off here: the session is not recorded, or castor.undo.coverage is off.');
  return undo.desk();
}

export async function previewOf(desk: UndoDesk, { isRedo, selection, withGit }: UndoWish): Promise<UndoPreview> {
  return isRedo ? desk.previewRedo({ withGit }) : desk.preview(selection, { withGit });
}

/** The preview with its diffs, as text. */
export async function showUndo(agent: WorkspaceAgent, wish: UndoWish): Promise<string> {
  const desk = await openDesk(agent);
  const preview = await previewOf(desk, wish);
  const diffs = await describeDiffs(desk, preview);
  return `${describePreview(preview)}\n${diffText(diffs)}\nNothing was changed. Add --yes to do it.`;
}

export async function carryOut(agent: WorkspaceAgent, wish: UndoWish): Promise<string> {
  const desk = await openDesk(agent);
  return applyPreview(agent, desk, await previewOf(desk, wish));
}

export async function applyPreview(agent: WorkspaceAgent, desk: UndoDesk, preview: UndoPreview): Promise<string> {
  const outcome = await desk.apply(preview);
  if (outcome.done.length > 0) {
    const note = { text: `<system_note>${noteFor(preview)}</system_note>` };
    agent.chat.addHistory({ role: 'user', parts: [note] });
  }
  return describeOutcome(preview, outcome).trimEnd();
}

/** What the session changed, by file, each with the numbers of the prompts that changed it. */
export async function changedFiles(agent: WorkspaceAgent): Promise<(DescribedChange & { prompts: number[] })[]> {
  const { prompts, files } = await sessionChanges(await openDesk(agent));
  return files.map((file) => ({
    ...file,
    prompts: prompts
      .filter((prompt) => prompt.files.some(({ path }) => path === file.path))
      .map(({ number }) => number),
  }));
}

/** `/diff` as text. */
export async function describeSession(agent: WorkspaceAgent): Promise<string> {
  const { prompts, files } = await sessionChanges(await openDesk(agent));
  if (prompts.length === 0) return 'This session has changed no files.';
  const total = (changes: readonly DescribedChange[]) =>
    `${countOf(changes.length, 'file')}, +${sum(changes, 'addedLines')} −${sum(changes, 'removedLines')} lines`;
  const sections = prompts.map(
    ({ number, text, files: own }) =>
      `${number}. ${sanitizeLine(text.split('\n')[0] ?? '').slice(0, 80)} (${total(own)})\n\n${own
        .map(({ path, diff, note }) => diff ?? `${sanitizeLine(path)}: ${note ?? ''}\n`)
        .join('\n')}`,
  );
  return `This session changed ${total(files)}.\n\n${sections.join('\n\n')}`;
}

function sum(changes: readonly DescribedChange[], field: 'addedLines' | 'removedLines'): number {
  return changes.reduce((total, change) => total + change[field], 0);
}
