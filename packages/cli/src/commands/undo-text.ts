/** The words of undo, for `castor undo`, `/undo` and the dialog: the list of prompts, a preview, an outcome. */

import { countOf, describeChange, isListed } from '@castor/core/program';
import type {
  ChangedSession,
  DescribedChange,
  ListedPrompt,
  UndoDesk,
  UndoOutcome,
  UndoPreview,
} from '@castor/core/program';
import { sanitizeLine } from '../sanitize.ts';
import type { JudgedPreview } from './judge-undo.ts';

/** As much of a session's id as names it. */
export const ID_LENGTH = 8;
const TEXT_LENGTH = 70;
const SHOWN_PATHS = 40;
/** Diffs of more files are left out of a text; the JSON has them all. */
const SHOWN_DIFFS = 20;
const TITLES = {
  undo: {
    restored: 'Restored to their earlier content or mode',
    deleted: 'Deleted, since they did not exist before',
    recreated: 'Recreated',
  },
  redo: { restored: 'Changed again', deleted: 'Deleted again', recreated: 'Created again' },
} as const;

/** The latest session first. */
export function describeUndoList(sessions: readonly ChangedSession[]): string {
  const [only, ...others] = sessions;
  if (only && others.length === 0) return describePrompts(only.prompts) ?? 'This session has changed no files.\n';
  const described = sessions.map(({ session: { id, title, lastUpdated }, prompts }) => {
    const used = new Date(lastUpdated).toISOString().slice(0, 16).replace('T', ' ');
    return `--session ${id.slice(0, ID_LENGTH)} (${oneLine(title)}, ${used})\n${describePrompts(prompts) ?? ''}`;
  });
  return described.join('\n');
}

function describePrompts(prompts: readonly ListedPrompt[]): string | undefined {
  const shown = prompts.filter(isListed);
  if (shown.length === 0) return undefined;
  const lines = shown.flatMap(({ number, text, files, isUndone, calls }) => [
    `${String(number).padStart(3)}. ${oneLine(text)} (${describeExtent(files, isUndone)})`,
    ...calls
      .filter((call) => call.files > 0 || !call.isCovered)
      .map((call) => {
        const extent = call.isCovered ? countOf(call.files, 'file') : 'not covered: undo covered edits only';
        return `       ${call.callId}  ${oneLine(`${call.name} ${call.description}`)} (${extent})`;
      }),
  ]);
  return `${lines.join('\n')}\n`;
}

/** One call of a prompt can be undone alone. */
function describeExtent(files: number, isUndone: boolean): string {
  const count = countOf(files, 'file');
  if (!isUndone) return count;
  return files > 0 ? `undone except ${count}` : 'undone';
}

/** The preview without diffs. */
export function describePreview(preview: UndoPreview): string {
  const {
    kind,
    prompts,
    restored,
    deleted,
    recreated,
    leftAlone,
    shared,
    notCovered,
    uncoveredCalls,
    outside,
    unkept,
    byOthers,
    alongside,
  } = preview;
  const titles = TITLES[kind];
  const what = [
    ...prompts.map(({ number, text }) => `  ${number}. ${oneLine(text)}`),
    ...alongside.map(
      ({ name, description }) => `  with ${oneLine(`${name} ${description}`)}, which ran at the same time`,
    ),
  ];
  const sections = [
    section(titles.restored, restored),
    section(titles.deleted, deleted),
    section(titles.recreated, recreated),
    section(`Not kept, so that ${kind === 'undo' ? 'a redo' : 'an undo'} cannot bring them back`, unkept),
    section('Also made by another session, perhaps, and taken back with --shared', shared),
    section('Left alone', leftAlone.map(withReason)),
    section('Not covered', [
      ...notCovered.map(withReason),
      ...outside.map((path) => `${path}: it is outside the workspace; /rewind reverts edits of it`),
      ...uncoveredCalls.map(
        ({ name, description }) => `${oneLine(`${name} ${description}`)}: it ran while undo covered edits only`,
      ),
    ]),
    section('Changed since by you, other programs or jobs in the background, and not touched', byOthers),
  ].filter((text) => text !== '');
  const verb = kind === 'undo' ? 'Undoes' : 'Redoes';
  const head = what.length > 0 ? `${verb} what this changed:\n${what.join('\n')}\n` : '';
  return `${head}\n${sections.length > 0 ? sections.join('\n') : 'No file changes: everything is already as it was.\n'}`;
}

/** One line: how many paths of each section. */
export function countPreview({ restored, deleted, recreated, leftAlone, ...preview }: UndoPreview): string {
  const uncovered = preview.notCovered.length + preview.outside.length + preview.uncoveredCalls.length;
  const counts: readonly (readonly [number, string])[] = [
    [restored.length, preview.kind === 'undo' ? 'restored' : 'changed'],
    [deleted.length, 'deleted'],
    [recreated.length, preview.kind === 'undo' ? 'recreated' : 'created'],
    [leftAlone.length, 'left alone'],
    [uncovered, 'not covered'],
  ];
  return counts
    .filter(([count]) => count > 0)
    .map(([count, what]) => `${count} ${what}`)
    .join(' · ');
}

export function describeOutcome(preview: JudgedPreview, outcome: UndoOutcome): string {
  const { kind, leftAlone, notCovered, uncoveredCalls } = preview;
  const { done, skipped, isVerified, isDiskFull } = outcome;
  const own = leftAlone.filter(({ reason }) => reason !== 'git');
  const ofGit = leftAlone.length - own.length;
  const verb = kind === 'undo' ? 'Undone' : 'Redone';
  const state = isVerified ? 'verified' : 'NOT verified: some files differ from what was wanted';
  const lines = [
    done.length > 0 ? `${verb}: ${countOf(done.length, 'path')}, ${state}.` : `Nothing was ${verb.toLowerCase()}.`,
    ...(isDiskFull ? ['The disk is full: free some space, and undo again for the rest.'] : []),
    ...named('Left alone', [...own, ...skipped]),
    ...(ofGit > 0 ? [`Left alone: ${countOf(ofGit, 'path')} of the repository itself (.git). ${wayToGit(kind)}`] : []),
    ...named('Not covered', notCovered),
    ...(uncoveredCalls.length > 0
      ? [`Not covered: ${countOf(uncoveredCalls.length, 'call')} that ran while undo covered edits only.`]
      : []),
    ...(kind === 'undo' && done.length > 0 ? ['/redo, or castor undo --redo, brings it back.'] : []),
  ];
  return `${lines.join('\n')}\n`;
}

function wayToGit(kind: UndoPreview['kind']): string {
  return kind === 'undo' ? '/undo --git, or castor undo --git, takes them back too.' : '--git includes them.';
}

function named(what: string, paths: readonly { path: string; because: string }[]): string[] {
  const shown = paths.slice(0, SHOWN_PATHS).map((each) => `${what}: ${sanitizeLine(withReason(each))}`);
  return paths.length > shown.length ? [...shown, `… and ${paths.length - shown.length} more`] : shown;
}

/** The diffs of a preview, from the present to the wanted state. */
export async function describeDiffs(desk: UndoDesk, { changes }: UndoPreview): Promise<DescribedChange[]> {
  const described: DescribedChange[] = [];
  const read = await desk.openContents();
  for (const change of changes) {
    const isFolder = change.before?.kind === 'folder' || change.after?.kind === 'folder';
    if (!isFolder) described.push(await describeChange(change, read));
  }
  return described;
}

export function diffText(changes: readonly DescribedChange[]): string {
  const shown = changes.slice(0, SHOWN_DIFFS).map(({ path, diff, note }) => diff ?? `${path}: ${note ?? ''}\n`);
  const rest = changes.length - shown.length;
  return `${shown.join('\n')}${rest > 0 ? `\n… and ${countOf(rest, 'more file')}\n` : ''}`;
}

function section(title: string, paths: readonly string[]): string {
  if (paths.length === 0) return '';
  const shown = paths.slice(0, SHOWN_PATHS).map((path) => `  ${sanitizeLine(path)}`);
  const rest = paths.length - shown.length;
  return `${title} (${paths.length}):\n${shown.join('\n')}\n${rest > 0 ? `  … and ${rest} more\n` : ''}`;
}

function withReason({ path, because }: { path: string; because: string }): string {
  return `${path}: ${because}`;
}

function oneLine(text: string): string {
  const line = sanitizeLine(text.split('\n')[0] ?? '');
  return line.length > TEXT_LENGTH ? `${line.slice(0, TEXT_LENGTH)}…` : line;
}
