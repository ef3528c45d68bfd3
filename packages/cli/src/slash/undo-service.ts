/**
 * What `/undo`, `/redo` and `/diff` do with the undo of this session, or of an earlier one, on every surface. Throws an
 * Error with a sentence.
 */

import { getErrorMessage } from '@castor/core';
import { countOf, NotInSession, sessionChanges, UndoError } from '@castor/core/program';
import type { WorkspaceAgent } from '@castor/core';
import type { DescribedChange, UndoDesk, UndoPreview, UndoSelection } from '@castor/core/program';
import { applyUnlessVain } from '../commands/judge-undo.ts';
import { noteFor } from '../commands/undo.ts';
import {
  describeDiffs,
  describeOutcome,
  describePreview,
  describeUndoList,
  diffText,
  ID_LENGTH,
} from '../commands/undo-text.ts';
import { sanitizeLine } from '../sanitize.ts';

const OFF = 'Undo is off here: the session is not recorded, or castor.undo.coverage is off.';

const FLAGS: ReadonlySet<string> = new Set(['--git', '--shared', '--yes']);

export interface UndoWish {
  readonly isRedo: boolean;
  readonly selection: UndoSelection;
  readonly withGit: boolean;
  readonly withShared: boolean;
  readonly isSure: boolean;
  /** Another session of the folder. */
  readonly session?: string | undefined;
}

/** A sentence for invalid words. */
export function parseUndoWords(args: string): UndoWish | string {
  const { session, words } = takeSession(args.split(/\s+/).filter((word) => word !== ''));
  const flags = words.filter((word) => word.startsWith('--'));
  const unknown = flags.find((flag) => !FLAGS.has(flag));
  if (unknown !== undefined) return `${unknown} is an unknown option of /undo.`;
  const [first, second, ...rest] = words.filter((word) => !word.startsWith('--'));
  const isRedo = first === 'redo';
  const [withGit, withShared, isSure] = [...FLAGS].map((flag) => flags.includes(flag)) as [boolean, boolean, boolean];
  const common = { isRedo, session, withGit, withShared, isSure };
  const usage = 'Use /undo, /undo <number of prompts>, /undo to <prompt>, /undo call <id> or /undo list.';
  if (rest.length > 0) return usage;
  if (first === undefined || (isRedo && second === undefined)) return { ...common, selection: { last: 1 } };
  if (first === 'to' && second !== undefined) return { ...common, selection: { to: second } };
  if (first === 'call' && second !== undefined) return { ...common, selection: { call: second } };
  const last = Number(first);
  if (second !== undefined || !Number.isInteger(last) || last < 1) return usage;
  return { ...common, selection: { last } };
}

export async function openDesk({ undo }: WorkspaceAgent): Promise<UndoDesk> {
  if (!undo) throw new UndoError(OFF);
  return undo.desk();
}

function takeSession(words: readonly string[]): { session: string | undefined; words: string[] } {
  const at = words.indexOf('--session');
  if (at < 0) return { session: undefined, words: [...words] };
  return { session: words[at + 1] ?? 'latest', words: words.filter((_, index) => index !== at && index !== at + 1) };
}

export interface Desk {
  readonly desk: UndoDesk;
  /** Leaves a note in another session. */
  readonly tellModel?: (sentence: string) => void;
}

/** Runs with the desk of this session, or of the one that the user named. */
export async function atDesk<T>(
  agent: WorkspaceAgent,
  { session }: Pick<UndoWish, 'session'>,
  run: (at: Desk) => Promise<T>,
): Promise<T> {
  const desk = await openDesk(agent);
  const other = session === undefined ? undefined : await agent.undo!.openEarlier(session);
  if (!other) return run({ desk });
  try {
    return await run(other);
  } finally {
    await other.close();
  }
}

/** What this session and earlier ones changed. */
export async function listUndo({ undo }: WorkspaceAgent): Promise<string> {
  if (!undo) throw new UndoError(OFF);
  return describeUndoList(await undo.listSessions()).trimEnd();
}

/** The sentence, with the way to what an earlier session changed. */
export async function withEarlier(error: unknown, { undo }: WorkspaceAgent): Promise<string> {
  const message = getErrorMessage(error);
  if (!(error instanceof NotInSession) || !undo) return message;
  const earlier = (await undo.listSessions()).find(({ prompts }) => prompts.some(({ files }) => files > 0));
  if (!earlier) return message;
  const id = earlier.session.id.slice(0, ID_LENGTH);
  return `${message} An earlier session did: /undo list shows what, /undo --session ${id} takes back its last prompt.`;
}

export async function previewOf(desk: UndoDesk, wish: UndoWish): Promise<UndoPreview> {
  const { isRedo, selection, withGit, withShared } = wish;
  return isRedo ? desk.previewRedo({ withGit }) : desk.preview(selection, { withGit, withShared, isShown: true });
}

/** The preview with its diffs, as text. */
export async function showUndo(agent: WorkspaceAgent, wish: UndoWish): Promise<string> {
  return atDesk(agent, wish, async ({ desk }) => {
    const preview = await previewOf(desk, wish);
    const diffs = await describeDiffs(desk, preview);
    return `${describePreview(preview)}\n${diffText(diffs)}\nNothing was changed. Add --yes to do it.`;
  });
}

export async function carryOut(agent: WorkspaceAgent, wish: UndoWish): Promise<string> {
  return atDesk(agent, wish, async (at) => applyPreview(agent, at, await previewOf(at.desk, wish)));
}

export async function applyPreview(
  agent: WorkspaceAgent,
  { desk, tellModel }: Desk,
  preview: UndoPreview,
): Promise<string> {
  const outcome = await applyUnlessVain(desk, preview);
  if (outcome.done.length > 0) {
    const note = { text: `<system_note>${noteFor(preview)}</system_note>` };
    agent.chat.addHistory({ role: 'user', parts: [note] });
    tellModel?.(noteFor(preview));
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
