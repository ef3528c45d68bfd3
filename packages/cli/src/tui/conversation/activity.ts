/** Says what the session is doing, in a verb and its object, from what is known of it. Pure. */

import type { PendingCall, RetryValue, Transcript } from '@castor/core';
import { sanitizeLine } from '../../sanitize.ts';
import { shortDuration } from '../../short-numbers.ts';
import { titleOf } from './call-title.ts';

export interface Activity {
  readonly verb: string;
  readonly object?: string;
  /** Something is not as it should be, or the user is waited for. */
  readonly isWarning?: boolean;
}

export interface ActivityState {
  readonly transcript: Transcript;
  /** The user's own commands. */
  readonly clientCalls: readonly PendingCall[];
  readonly model: string;
  /** A phrase of the user's, shown while nothing else is known. */
  readonly phrase: string | undefined;
  /** What the prompt waits for before it is sent. */
  readonly wait?: string | undefined;
  /** The key that types into a command that waits for input. */
  readonly waitingKey?: string | undefined;
  /** Since the last event. */
  readonly silentMs: number;
}

const SILENT_FROM_MS = 20_000;

/** By the name of the tool. */
const VERBS: Readonly<Record<string, string>> = {
  read_file: 'Reading',
  read_many_files: 'Reading',
  list_directory: 'Listing',
  glob: 'Finding',
  grep_search: 'Searching',
  search_file_content: 'Searching',
  write_file: 'Writing',
  replace: 'Editing',
  run_shell_command: 'Running',
  web_fetch: 'Fetching',
  google_web_search: 'Searching the web for',
  write_todos: 'Planning',
};

export function activityOf(state: ActivityState): Activity {
  const { transcript, clientCalls, wait, waitingKey, silentMs, model, phrase } = state;
  if (wait) return { verb: sanitizeLine(wait) };
  if (transcript.prompt?.isCancelled) return { verb: 'Stopping' };
  if (waitingKey !== undefined)
    return {
      verb: `Waiting for your input${waitingKey === '' ? '' : `: ${waitingKey} types into it`}`,
      isWarning: true,
    };
  if (transcript.retry) return describeRetry(transcript.retry);
  const calls = [...(transcript.pendingGroup?.calls ?? []), ...clientCalls];
  const running = calls.filter(({ status }) => status === 'executing');
  if (running.length > 0) return describeCalls(running);
  if (transcript.prompt && silentMs >= SILENT_FROM_MS)
    return { verb: `Nothing heard for ${shortDuration(Math.floor(silentMs / 1_000) * 1_000)}`, isWarning: true };
  if (transcript.pendingText) return { verb: 'Writing' };
  const { subject } = transcript.thought?.thought ?? {};
  if (subject) return { verb: sanitizeLine(subject) };
  if (phrase) return { verb: sanitizeLine(phrase) };
  if (transcript.thought || calls.length > 0) return { verb: 'Thinking' };
  if (isAnswered(transcript)) return { verb: 'Finishing' };
  return model === '' || !transcript.prompt
    ? { verb: 'Working' }
    : { verb: 'Waiting for', object: sanitizeLine(model) };
}

/** Whether the answer has ended, and only hooks and records are left. */
function isAnswered({ prompt, committed }: Transcript): boolean {
  const last = committed.at(committed.length - 1)?.type;
  return prompt !== undefined && (last === 'gemini' || last === 'gemini_content');
}

function describeCalls(calls: readonly PendingCall[]): Activity {
  const [call] = calls;
  if (!call || calls.length > 1) return { verb: `Running ${calls.length} calls` };
  const { verb, object } = titleOf(call);
  if (call.name.startsWith('mcp_')) return { verb: 'Asking', object: `${verb} ${object}`.trim() };
  const known = VERBS[call.name] ?? (call.kind === undefined ? 'Running' : undefined);
  return known === undefined ? { verb: 'Running', object: `${verb} ${object}`.trim() } : { verb: known, object };
}

function describeRetry(retry: RetryValue): Activity {
  if (retry.isLoading) return { verb: 'Loading the model' };
  const { delayMs, attempt, maxAttempts, error } = retry;
  const when = delayMs > 0 ? `in ${Math.ceil(delayMs / 1_000)} s` : 'now';
  return {
    verb: `Trying again ${when} (${attempt + 1} of ${maxAttempts}): ${sanitizeLine(error.message)}`,
    isWarning: true,
  };
}
