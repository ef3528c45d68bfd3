/**
 * Rewinds a session: lists the user messages to rewind to, and restores the files from
 * before the edits since then, byte for byte where a pre-image exists, else by reversing
 * the diffs. The chat rewinds the conversation itself. Changes a file only when it is exactly
 * as the edits left it. What commands did is undone by undo/.
 */

import { rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { GeminiChat } from '../chat/gemini-chat.ts';
import type { Content } from '../protocol/content.ts';
import { getErrorMessage } from '../protocol/errors.ts';
import { FileStore } from '../tools/files/file-store.ts';
import type { AbsentFile, LoadedFile } from '../tools/files/file-store.ts';
import { planText } from '../tools/files/file-change.ts';
import { ReadLedger } from '../tools/files/read-ledger.ts';
import { reverseDiff } from '../tools/files/reverse-diff.ts';
import { decodeText, toVisibleText } from '../tools/files/text-file.ts';
import type { Workspace } from '../tools/files/workspace.ts';
import { readPreImage } from './pre-images.ts';
import type { EndedCall, FileChange } from './session-file.ts';
import { replaySession } from './replay-session.ts';
import type { LoadedMessage, LoadedSession } from './replay-session.ts';
import { readSessionFile } from './read-session-file.ts';
import type { SessionRecorder } from './session-recorder.ts';
import { toSessionHistory } from './session-history.ts';
import { ownWords } from './resumable-content.ts';
import { toStoredParts } from './session-parts.ts';

export interface RecordedEdit {
  readonly path: string;
  readonly diff: string;
  readonly isNewFile: boolean;
  /** Absent where only the diff is on record. */
  readonly change?: RecordedChange;
}

interface RecordedChange extends Pick<FileChange, 'before' | 'after'> {
  /** The content of the file before the edit; undefined when it was not kept. */
  readBefore(): Buffer | undefined;
}

export interface RewindPoint {
  /** The user's text. */
  readonly text: string;
  /** Edits since then, oldest first. */
  readonly edits: readonly RecordedEdit[];
  /** Whether commands have run since then. */
  readonly hasCommands: boolean;
  /** When it was sent, where that is on record. */
  readonly sentAt?: number;
  /** Absent for a message that a compression replaced: the session file holds the turns before it. */
  readonly content?: Content;
  /** The message's id in the session file. */
  readonly messageId?: string;
}

export interface RewindParts {
  readonly chat: Pick<GeminiChat, 'getHistory' | 'rewindTo' | 'setHistory'>;
  readonly recorder: Pick<SessionRecorder, 'idOf' | 'path' | 'restoring'>;
}

/** Oldest first. Facts missing from the session file, such as unrecorded edits, are unknown. */
export function listRewindPoints({ chat, recorder }: RewindParts): RewindPoint[] {
  const { superseded, messages: current } = readMessages(recorder);
  const messages = [...superseded, ...current];
  const chats = dirname(recorder.path);
  const places = new Map(messages.map(({ id }, index) => [id, index]));
  const first = firstOfPrompts(messages);
  const earlier = superseded.flatMap((message, index) => {
    const text = ownWords(message);
    if (text === undefined || message.prompt_id === undefined || !first.has(message)) return [];
    const since = messages.slice(index);
    const facts = { edits: editsOf(since, chats), hasCommands: since.some(hasCommand), ...sentAt(message) };
    return [{ text, messageId: message.id, ...facts }];
  });
  const points = chat.getHistory().flatMap((content) => {
    const id = recorder.idOf(content);
    const index = id === undefined ? undefined : places.get(id);
    const text = ownWords(index === undefined ? toMessage(content) : messages[index]!);
    if (text === undefined || (index !== undefined && !first.has(messages[index]!))) return [];
    const since = index === undefined ? [] : messages.slice(index);
    const facts = { edits: editsOf(since, chats), hasCommands: since.some(hasCommand), ...sentAt(since[0]) };
    return [{ text, content, ...facts }];
  });
  return [...earlier, ...points];
}

function sentAt(message: LoadedMessage | undefined): Pick<RewindPoint, 'sentAt'> {
  const time = Date.parse(message?.timestamp ?? '');
  return Number.isNaN(time) ? {} : { sentAt: time };
}

/** Restores the conversation from before the message; false when it is no longer on record. */
export function rewindTo({ content, messageId }: RewindPoint, { chat, recorder }: RewindParts): boolean {
  if (content) return chat.rewindTo(content);
  const before = messageId === undefined ? undefined : readBefore(recorder, messageId);
  if (!before) return false;
  const { turns, ids } = toSessionHistory(before);
  // The agent of this process supplies the session context.
  const context = chat.getHistory().slice(0, 1).filter(isSessionContext);
  recorder.restoring(ids);
  chat.setHistory([...context, ...turns]);
  return true;
}

export interface RevertedEdits {
  /** Paths restored to their earlier content. */
  readonly reverted: readonly string[];
  /** One sentence per file that was not changed. */
  readonly problems: readonly string[];
}

/** Reverts edits, newest first. Leaves a file unchanged when its edits cannot all be reverted. */
export async function revertEdits(edits: readonly RecordedEdit[], workspace: Workspace): Promise<RevertedEdits> {
  const store = new FileStore(workspace, new ReadLedger());
  const reverted: string[] = [];
  const problems: string[] = [];
  for (const path of new Set(edits.map((edit) => edit.path))) {
    const own = edits.filter((edit) => edit.path === path);
    try {
      const isDone = await store.exclusively(path, () => revertFile(store, path, own));
      if (isDone) reverted.push(path);
      else problems.push(`${path} was changed by another program and was not restored.`);
    } catch (error) {
      problems.push(`${path} was not restored: ${getErrorMessage(error)}`);
    }
  }
  return { reverted, problems };
}

async function revertFile(store: FileStore, path: string, edits: readonly RecordedEdit[]): Promise<boolean> {
  const loaded = await store.load(path);
  if (await revertExactly(store, loaded, edits)) return true;
  const file = 'bytes' in loaded ? decodeText(loaded.bytes) : undefined;
  if (file && toVisibleText(file.text) !== file.text) throw new Error('it is not a text file.');
  let text: string | undefined = file?.text;
  // A call that was cut off has no diff.
  for (const { diff } of edits.toReversed()) text = text === undefined ? undefined : reverseDiff(text, diff);
  if (text === undefined || !file) return false;
  if (edits[0]?.isNewFile && text === '') await rm(loaded.realPath);
  else await store.write(loaded, (await planText(file, text)).bytes);
  return true;
}

/** False when the file is not as the edits left it, or its earlier content was not kept. */
async function revertExactly(
  store: FileStore,
  loaded: LoadedFile | AbsentFile,
  edits: readonly RecordedEdit[],
): Promise<boolean> {
  const changes = edits.flatMap(({ change }) => change ?? []);
  const now = 'bytes' in loaded ? loaded.fingerprint : null;
  const first = changes[0];
  if (!first || changes.length < edits.length || !isLeftBy(changes, now)) return false;
  if (now === first.before) return true;
  if (first.before === null) {
    await rm(loaded.realPath);
    return true;
  }
  const bytes = first.readBefore();
  if (bytes) await store.write(loaded, bytes);
  return bytes !== undefined;
}

/** Whether these changes, each of which may have been cut off before it happened, produce this content. */
function isLeftBy(changes: readonly RecordedChange[], now: string | null): boolean {
  let at = now;
  for (const { before, after } of changes.toReversed()) {
    if (at === after) at = before;
    else if (at !== before) return now === changes[0]?.before;
  }
  return at === changes[0]?.before;
}

function readMessages({ path }: RewindParts['recorder']): Pick<LoadedSession, 'superseded' | 'messages'> {
  try {
    return replaySession(readSessionFile(path));
  } catch {
    // Without a recording, only the conversation is known.
    return { superseded: [], messages: [] };
  }
}

/** The messages of the session at the time this one was written. */
function readBefore({ path }: RewindParts['recorder'], messageId: string): readonly LoadedMessage[] | undefined {
  const bytes = readSessionFile(path);
  const end = bytes.indexOf(`\n{"id":${JSON.stringify(messageId)},`);
  return end < 0 ? undefined : replaySession(bytes.subarray(0, end)).messages;
}

/**
 * The messages that begin a prompt, with those of no prompt. What the user, a hook or this program adds to a running
 * prompt has the id of that prompt. In older files every run of one prompt has the session's id.
 */
function firstOfPrompts(messages: readonly LoadedMessage[]): ReadonlySet<LoadedMessage> {
  const first = new Set<LoadedMessage>();
  let current: string | undefined;
  let isIdle = true;
  for (const message of messages) {
    const { type, prompt_id } = message;
    if (type === 'gemini') isIdle = !toStoredParts(message.content).some((part) => part.functionCall);
    if (ownWords(message) === undefined) continue;
    const isOther = prompt_id === undefined || prompt_id !== current;
    if (isOther || (isIdle && !prompt_id.includes('########'))) first.add(message);
    current = prompt_id;
  }
  return first;
}

function isSessionContext({ parts }: Content): boolean {
  return parts?.[0]?.text?.startsWith('<session_context>') ?? false;
}

function toMessage({ role, parts = [] }: Content): LoadedMessage {
  return { id: '', type: role === 'user' ? 'user' : 'gemini', content: parts };
}

/** In the order the calls started. */
function editsOf(messages: readonly LoadedMessage[], chats: string): RecordedEdit[] {
  const endings = new Map(messages.flatMap(({ call }) => (call ? [[call.id, call] as const] : [])));
  const changed = new Set<string>();
  return messages.flatMap(({ started = [], call }) => {
    const begun = started.flatMap(({ callId, changes = [] }) => {
      if (changes.length > 0) changed.add(callId);
      const ending = endings.get(callId);
      // Includes failed calls: the failure may have followed the change.
      return ending?.status === 'not_started' ? [] : changes.map((change) => toEdit(change, ending, chats));
    });
    const edit = call && !changed.has(call.id) ? diffOf(call) : undefined;
    return edit ? [...begun, edit] : begun;
  });
}

function toEdit(change: FileChange, ending: EndedCall | undefined, chats: string): RecordedEdit {
  const { path, before, after, preImage } = change;
  const edit = (ending && diffOf(ending)) ?? { path, diff: '', isNewFile: before === null };
  const readBefore = () => (preImage === undefined ? undefined : readPreImage(chats, preImage));
  return { ...edit, change: { before, after, readBefore } };
}

function diffOf({ status, resultDisplay: display }: EndedCall): RecordedEdit | undefined {
  if (status !== 'success' || typeof display !== 'object' || !('fileDiff' in display)) return undefined;
  const { filePath, fileDiff, isNewFile = false } = display;
  return { path: filePath, diff: fileDiff, isNewFile };
}

/** Separates edits and reads from calls that cannot be undone. */
function hasCommand({ started = [] }: LoadedMessage): boolean {
  return started.some(({ name, hasEffects }) => hasEffects !== false && name === 'run_shell_command');
}
