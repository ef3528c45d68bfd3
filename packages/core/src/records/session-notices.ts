/** Words the notices for the user on resume: what was interrupted, and which parts of the file were unreadable. Pure. */

import { sha256 } from '../util/sha256.ts';
import { describeCall } from './describe-call.ts';
import type { OpenCall } from './interrupted-call.ts';
import type { LoadedSession } from './replay-session.ts';
import type { SessionMessage } from './session-file.ts';
import { shorten, toOneLine } from '../util/short-text.ts';

export interface LoadedReport {
  path: string;
  root: string;
  loaded: LoadedSession;
  openCalls: readonly OpenCall[];
  /** The recording stopped before the session did. */
  hasLoss: boolean;
  /** The text of the prompt that got no answer. */
  prompt: string | undefined;
  /** What the user does to send it again, as a clause. */
  resendHint?: string | undefined;
}

const SENTENCES: Record<OpenCall['status'], string> = {
  finished: 'had finished; its result is recorded',
  cancelled: 'was cancelled',
  not_started: 'was not started',
  carried_out: 'was carried out: its file has the new content; only its result is lost',
  unknown: 'was running: its effect is unknown, so check before you repeat it',
};
const UNCHANGED = 'was stopped before it changed anything';
const SHOWN_LENGTH = 100;

export function describeLoaded({ path, root, loaded, openCalls, hasLoss, prompt, resendHint }: LoadedReport): string[] {
  const { badLines, metadata, messages } = loaded;
  const notices: string[] = [];
  if (badLines > 0) {
    notices.push(`${badLines} damaged ${badLines === 1 ? 'line was' : 'lines were'} skipped in ${path}.`);
  }
  if (hasLoss) {
    notices.push('The record of this session is incomplete (full disk?): later steps are unknown.');
  }
  if (/^[0-9a-f]{64}$/.test(metadata.projectHash ?? '') && metadata.projectHash !== sha256(root)) {
    notices.push('This session was recorded in another folder: its paths may not exist here.');
  }
  const last = messages.at(-1);
  if (prompt !== undefined) notices.push(...describePrompt(prompt, last, { openCalls, resendHint }));
  if (last?.isInterrupted && last.type === 'gemini')
    notices.push('The last answer was cut off; the model will answer again.');
  return notices;
}

function describePrompt(
  prompt: string,
  { failure: reason, isCancelled }: Pick<SessionMessage, 'failure' | 'isCancelled'> = {},
  { openCalls, resendHint }: Pick<LoadedReport, 'openCalls' | 'resendHint'>,
): string[] {
  const words = `"${shorten(toOneLine(prompt), SHOWN_LENGTH)}"`;
  const failure = reason === undefined ? undefined : shorten(toOneLine(reason), SHOWN_LENGTH);
  // The service ends its message as it likes.
  const remarks = [failure?.replace(/[.\s]+$/, ''), resendHint].filter((remark) => remark !== undefined).join('; ');
  const what = failure !== undefined ? 'failed' : isCancelled ? 'was cancelled' : 'was interrupted';
  const calls = openCalls.map(({ name, args, status, isUnchanged }) => {
    const state = isUnchanged ? UNCHANGED : SENTENCES[status];
    const shown = describeCall(name, args);
    const description = shorten(toOneLine(shown.description), SHOWN_LENGTH);
    return `${['The call', shown.name, description].filter(Boolean).join(' ')} ${state}.`;
  });
  return [`The last prompt ${what}: ${words}${remarks === '' ? '' : ` (${remarks})`}.`, ...calls];
}
