/**
 * Going back in a session: which messages of the person one can go back to, and the
 * files as they were before the edits since; the conversation itself is the chat's. A
 * file is only touched when it is exactly what the edits left behind; what commands did
 * cannot be undone and is not tried.
 */

import { rm } from 'node:fs/promises';
import type { GeminiChat } from '../chat/gemini-chat.ts';
import type { Content } from '../protocol/content.ts';
import { getErrorMessage } from '../protocol/errors.ts';
import { FileStore } from '../tools/file-store.ts';
import { planText } from '../tools/file-change.ts';
import { ReadLedger } from '../tools/read-ledger.ts';
import { reverseDiff } from '../tools/reverse-diff.ts';
import { decodeText, toVisibleText } from '../tools/text-file.ts';
import type { Workspace } from '../tools/workspace.ts';
import { parseSession } from './session-loader.ts';
import type { LoadedMessage } from './session-loader.ts';
import { readSessionFile } from './session-read.ts';
import type { SessionRecorder } from './session-recorder.ts';
import { ownWords } from './session-worth.ts';

export interface RecordedEdit {
  readonly path: string;
  readonly diff: string;
  readonly isNewFile: boolean;
}

export interface RewindPoint {
  /** What the person said. */
  readonly text: string;
  /** Edits since then, oldest first. */
  readonly edits: readonly RecordedEdit[];
  /** Whether commands have run since then, whose effects stay. */
  readonly hasCommands: boolean;
  readonly content: Content;
}

export interface RewindParts {
  readonly chat: Pick<GeminiChat, 'getHistory'>;
  readonly recorder: Pick<SessionRecorder, 'idOf' | 'path'>;
}

/** Oldest first. What the file of the session does not hold, such as edits, is not known. */
export function listRewindPoints({ chat, recorder }: RewindParts): RewindPoint[] {
  const messages = readMessages(recorder);
  const places = new Map(messages.map(({ id }, index) => [id, index]));
  const prompts = new Set<string>();
  return chat.getHistory().flatMap((content) => {
    const id = recorder.idOf(content);
    const index = id === undefined ? undefined : places.get(id);
    const text = ownWords(index === undefined ? toMessage(content) : messages[index]!);
    const prompt = index === undefined ? undefined : messages[index]!.prompt_id;
    // What was added to a prompt under way, by the person or by us, is part of it.
    if (text === undefined || (prompt !== undefined && prompts.has(prompt))) return [];
    if (prompt !== undefined) prompts.add(prompt);
    const since = index === undefined ? [] : messages.slice(index);
    return [{ text, content, edits: editsOf(since), hasCommands: since.some(hasCommand) }];
  });
}

export interface RevertedEdits {
  /** Paths that are as they were. */
  readonly reverted: readonly string[];
  /** A sentence for each file that was left alone. */
  readonly problems: readonly string[];
}

/** Takes edits back, the last one first. A file that cannot be followed all the way is left as it is. */
export async function revertEdits(edits: readonly RecordedEdit[], workspace: Workspace): Promise<RevertedEdits> {
  const store = new FileStore(workspace, new ReadLedger());
  const reverted: string[] = [];
  const problems: string[] = [];
  for (const path of new Set(edits.map((edit) => edit.path))) {
    const own = edits.filter((edit) => edit.path === path);
    try {
      const isDone = await store.exclusively(path, () => revertFile(store, path, own));
      if (isDone) reverted.push(path);
      else problems.push(`${path} was changed since by somebody else and is left as it is.`);
    } catch (error) {
      problems.push(`${path} is left as it is: ${getErrorMessage(error)}`);
    }
  }
  return { reverted, problems };
}

async function revertFile(store: FileStore, path: string, edits: readonly RecordedEdit[]): Promise<boolean> {
  const loaded = await store.load(path);
  const file = 'bytes' in loaded ? decodeText(loaded.bytes) : undefined;
  if (file && toVisibleText(file.text) !== file.text) throw new Error('it holds bytes that are no text.');
  let text: string | undefined = file?.text;
  for (const { diff } of edits.toReversed()) text = text === undefined ? undefined : reverseDiff(text, diff);
  if (text === undefined || !file) return false;
  if (edits[0]?.isNewFile && text === '') await rm(loaded.realPath);
  else await store.write(loaded, (await planText(file, text)).bytes);
  return true;
}

function readMessages({ path }: RewindParts['recorder']): readonly LoadedMessage[] {
  try {
    return parseSession(readSessionFile(path)).messages;
  } catch {
    // Nothing is recorded: the conversation itself is all there is to go by.
    return [];
  }
}

function toMessage({ role, parts = [] }: Content): LoadedMessage {
  return { id: '', type: role === 'user' ? 'user' : 'gemini', content: parts };
}

function editsOf(messages: readonly LoadedMessage[]): RecordedEdit[] {
  return messages.flatMap(({ call }) => {
    const display = call?.status === 'success' ? call.resultDisplay : undefined;
    if (typeof display !== 'object' || !('fileDiff' in display)) return [];
    const { filePath, fileDiff, isNewFile = false } = display;
    return [{ path: filePath, diff: fileDiff, isNewFile }];
  });
}

/** Edits and what only reads can be told apart from what nobody can undo. */
function hasCommand({ started = [] }: LoadedMessage): boolean {
  return started.some(({ name, hasEffects }) => hasEffects !== false && name === 'run_shell_command');
}
