/** `/rewind`: returns to an earlier message of the user, with the files as they were or as they are. */

import { listRewindPoints, revertEdits, rewindTo, countOf } from '@castor/core/program';
import type { RewindPoint } from '@castor/core/program';
import { sanitizeLine } from '../../sanitize.ts';
import type { App } from '../app.ts';

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
      options: points.map((each) => ({ label: oneLine(each.text), value: each, hint: describeEdits(each) })),
    },
    signal,
  );
  if (!point) return;
  const scope = (await chooseScope(app, point, signal)) ?? 'cancel';
  agent.telemetry?.note({ kind: 'rewound', outcome: OUTCOMES[scope] });
  if (scope === 'cancel') return;
  if (scope !== 'conversation') await revert(app, point);
  if (scope === 'files') return;
  if (!rewindTo(point, { chat: agent.chat, recorder })) return app.fail('That message was already removed.');
  (await app.link.live()).afterRewind();
  // Context of sub-directories in tool results was removed with them.
  await agent.reloadContext();
  app.state.todos = [];
  app.info('Rewound to before that message. The later messages above are no longer part of the conversation.');
  if (app.composer.isEmpty()) app.composer.setText(point.text);
}

function chooseScope(app: App, { edits, hasCommands, text }: RewindPoint, signal: AbortSignal) {
  if (edits.length === 0) return Promise.resolve<Scope>('conversation');
  const files = new Set(edits.map(({ path }) => path)).size;
  return app.dialogs.choose<Scope>(
    {
      title: `Rewind to before: ${oneLine(text).slice(0, 60)}`,
      ...(hasCommands && { body: ({ styles }) => [styles.warning('What commands did since stays done.')] }),
      options: [
        { label: `Conversation, and revert the edits of ${countOf(files, 'file')}`, value: 'both' },
        { label: 'Conversation only', value: 'conversation' },
        { label: 'Edits only', value: 'files' },
        { label: 'Cancel (esc)', value: 'cancel' },
      ],
      escape: 'cancel',
    },
    signal,
  );
}

async function revert(app: App, { edits }: RewindPoint): Promise<void> {
  const { agent } = app.state;
  if (!agent) return;
  const { reverted, problems } = await revertEdits(edits, agent.workspace);
  const names = reverted.map((path) => agent.workspace.relative(path));
  if (names.length > 0) app.info(`Restored ${names.join(', ')}.`);
  for (const problem of problems) app.warn(problem);
}

function describeEdits({ edits, hasCommands }: RewindPoint): string {
  const parts = [...(edits.length > 0 ? [countOf(edits.length, 'edit')] : []), ...(hasCommands ? ['commands'] : [])];
  return parts.length === 0 ? '' : `${parts.join(' and ')} since`;
}

/** The text of a prompt with files. */
function oneLine(text: string): string {
  const [words = ''] = text.split('\n--- Content from referenced files ---');
  return sanitizeLine(words);
}
