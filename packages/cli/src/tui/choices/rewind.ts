/** `/rewind`: returns to an earlier message of the user, with the files as they were or as they are. */

import { listRewindPoints, revertEdits, rewindTo, countOf } from '@castor/core/program';
import type { RecordedEdit, RewindPoint, UndoDesk, UndoPreview } from '@castor/core/program';
import { readableTime } from '../../readable-numbers.ts';
import { sanitizeLine } from '../../sanitize.ts';
import { applyPreview } from '../../slash/undo-service.ts';
import type { App } from '../app/app.ts';
import { countText } from '../conversation/tool-call.ts';
import type { SelectOption } from '../dialogs/select-dialog.ts';
import { countChanges } from '../render/parse-diff.ts';
import { shortenRow } from '../text/row-width.ts';
import type { Styles } from '../theme/styles.ts';

/** Of the words in a title. */
const MOST_TITLE = 60;

type Scope = 'both' | 'conversation' | 'files' | 'cancel';

/** By Gemini CLI's names, for telemetry. */
const OUTCOMES = {
  both: 'rewind_and_revert',
  conversation: 'rewind_only',
  files: 'revert_only',
  cancel: 'cancel',
} as const;

export async function chooseRewind(app: App, signal: AbortSignal): Promise<void> {
  const { agent, recorder } = app.state;
  const points = agent && recorder ? listRewindPoints({ chat: agent.chat, recorder }).toReversed() : [];
  if (!agent || !recorder || points.length === 0) return app.info('No message to rewind to yet.');
  const point = await app.dialogs.choose(
    {
      title: 'Rewind to before which message?',
      search: true,
      options: points.map(rewindOption),
      enters: 'goes back to before it',
      preview: (each, { styles }) => touchedRows(each, (path) => agent.workspace.relative(path), styles),
    },
    signal,
  );
  if (!point) return;
  const files = await findFiles(app, point);
  const scope = (await chooseScope(app, point, files, signal)) ?? 'cancel';
  agent.telemetry?.note({ kind: 'rewound', outcome: OUTCOMES[scope] });
  if (scope === 'cancel') return;
  if (scope !== 'conversation') await revert(app, files);
  if (scope === 'files') return;
  if (!rewindTo(point, { chat: agent.chat, recorder })) return app.fail('That message was already removed.');
  (await app.link.live()).afterRewind();
  // Context of sub-directories in tool results was removed with them.
  await agent.reloadContext();
  app.state.todos = [];
  app.info('Rewound to before that message. The later messages above are no longer part of the conversation.');
  if (app.composer.isEmpty()) app.composer.setText(point.text);
}

/** What returning to before a message does to files. */
interface Files {
  readonly desk?: UndoDesk;
  readonly preview?: UndoPreview;
  /** Edits that only the conversation knows: outside the workspace, or of a session of Gemini CLI. */
  readonly edits: readonly RecordedEdit[];
}

async function findFiles(app: App, { edits, content, messageId }: RewindPoint): Promise<Files> {
  const { agent, recorder } = app.state;
  const to = messageId ?? (content && recorder?.idOf(content));
  if (!agent?.undo || to === undefined) return { edits };
  try {
    const desk = await agent.undo.desk();
    const preview = await desk.preview({ to });
    const outside = new Set(preview.outside);
    return { desk, preview, edits: edits.filter(({ path, change }) => !change || outside.has(path)) };
  } catch {
    // Without the process that keeps files, edits still are on record.
    return { edits };
  }
}

function countFiles({ preview, edits }: Files): number {
  const folders = preview?.changes.filter(({ before, after }) => (after ?? before)?.kind === 'folder').length ?? 0;
  return (preview?.changes.length ?? 0) - folders + new Set(edits.map(({ path }) => path)).size;
}

/** One line for each kind of exception. */
function describeExceptions({ preview }: Files): string[] {
  if (!preview) return [];
  const { leftAlone, notCovered, uncoveredCalls } = preview;
  const own = leftAlone.filter(({ reason }) => reason !== 'git');
  const named = (paths: readonly { path: string }[]) =>
    sanitizeLine(
      paths
        .map(({ path }) => path)
        .slice(0, NAMED_PATHS)
        .join(', '),
    );
  return [
    ...(own.length > 0 ? [`${countOf(own.length, 'path')} changed since, left alone: ${named(own)}`] : []),
    ...(notCovered.length > 0 ? [`${countOf(notCovered.length, 'path')} not kept: ${named(notCovered)}`] : []),
    ...(uncoveredCalls.length > 0
      ? [`${countOf(uncoveredCalls.length, 'call')} ran while undo covered edits only.`]
      : []),
  ];
}

const NAMED_PATHS = 3;

function chooseScope(app: App, { text }: RewindPoint, files: Files, signal: AbortSignal) {
  const count = countFiles(files);
  const exceptions = describeExceptions(files);
  if (count === 0 && exceptions.length === 0) return Promise.resolve<Scope>('conversation');
  return app.dialogs.choose<Scope>(
    {
      title: `Rewind to before: ${shortenRow(oneLine(text), MOST_TITLE)}`,
      ...(exceptions.length > 0 && { body: ({ styles }) => exceptions.map((line) => styles.warning(line)) }),
      options: [
        { label: `Conversation, and undo the changes of ${countOf(count, 'file')}`, value: 'both' },
        { label: 'Conversation only', value: 'conversation' },
        { label: 'Files only', value: 'files' },
        { label: 'Cancel', value: 'cancel' },
      ],
      escape: 'cancel',
      escapes: 'cancels',
    },
    signal,
  );
}

async function revert(app: App, { desk, preview, edits }: Files): Promise<void> {
  const { agent } = app.state;
  if (!agent) return;
  // The model is told; a conversation that is rewound too loses the note with the rest.
  if (desk && preview && preview.changes.length > 0) app.info(await applyPreview(agent, { desk }, preview));
  const { reverted, problems } = await revertEdits(edits, agent.workspace);
  const names = reverted.map((path) => agent.workspace.relative(path));
  if (names.length > 0) app.info(`Restored ${names.join(', ')}.`);
  for (const problem of problems) app.warn(problem);
}

export function rewindOption(point: RewindPoint): SelectOption<RewindPoint> {
  const time = point.sentAt === undefined ? '' : `${readableTime(point.sentAt).slice(-5)}  `;
  return { label: `${time}${oneLine(point.text)}`, value: point, hint: describeEdits(point) };
}

const MOST_FILES = 4;
const NOTHING_TOUCHED = 'No edits and no commands since.';
const ONLY_COMMANDS = 'No edits since; what commands changed is counted next.';

/** The files that calls changed since; as many rows for every message. */
export function touchedRows(
  { edits, hasCommands }: RewindPoint,
  relative: (path: string) => string,
  styles: Styles,
): string[] {
  const files = [...new Set(edits.map(({ path }) => path))];
  const rows = files.slice(0, MOST_FILES).map((path) => {
    const counts = countText(countEdits(edits.filter((edit) => edit.path === path)), styles);
    return `  ${styles.link(sanitizeLine(relative(path)))} ${counts}`;
  });
  if (files.length === 0) rows.push(styles.secondary(`  ${hasCommands ? ONLY_COMMANDS : NOTHING_TOUCHED}`));
  if (files.length > MOST_FILES) rows.push(styles.secondary(`  … ${countOf(files.length - MOST_FILES, 'file')}`));
  return [...rows, ...Array.from({ length: Math.max(0, MOST_FILES + 1 - rows.length) }, () => '')];
}

function countEdits(edits: readonly RecordedEdit[]): { added: number; removed: number } {
  const counts = edits.map(({ diff }) => countChanges(diff));
  return {
    added: counts.reduce((sum, { added }) => sum + added, 0),
    removed: counts.reduce((sum, { removed }) => sum + removed, 0),
  };
}

function describeEdits({ edits, hasCommands }: RewindPoint): string {
  const files = new Set(edits.map(({ path }) => path)).size;
  const { added, removed } = countEdits(edits);
  const changes = [added > 0 && `+${added}`, removed > 0 && `−${removed}`].filter(Boolean);
  const parts = [
    ...(files > 0 ? [[countOf(files, 'file'), ...changes].join(' ')] : []),
    ...(hasCommands ? ['commands'] : []),
  ];
  return parts.join(' · ');
}

/** The text of a prompt with files. */
function oneLine(text: string): string {
  const [words = ''] = text.split('\n--- Content from referenced files ---');
  return sanitizeLine(words);
}
