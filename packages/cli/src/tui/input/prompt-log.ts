/**
 * Stores the prompts of a project on disk, as Gemini CLI does: `logs.json`, a list of user messages by session. It is
 * written whole and atomically, after the typing; two programs at once lose at most each other's last lines. An
 * unreadable file counts as empty and is moved aside, never overwritten. `shell_history` contains the commands of shell
 * mode, one per line.
 */

import { readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { replaceFile } from '@castor/core/program';
import type { Clock } from '@castor/core';
import { createInputHistory } from './input-history.ts';
import type { InputHistory } from './input-history.ts';

interface LogEntry {
  readonly sessionId: string;
  readonly messageId: number;
  readonly type: string;
  readonly message: string;
  readonly timestamp: string;
}

export interface PromptLog {
  readonly prompts: InputHistory;
  readonly commands: InputHistory;
  /** Resolves when everything added is on disk, or could not be written. */
  settled(): Promise<void>;
}

export interface PromptLogOptions {
  /** The project's temporary folder. */
  readonly directory: string;
  readonly sessionId: string;
  readonly clock: Clock;
  /** Removes secrets from what is kept for the next session. */
  readonly conceal?: (text: string) => string;
}

const MAX_LOGGED = 1000;
/** A prompt with a whole file pasted into it is recalled in this session, not in the next. */
const MAX_MESSAGE = 50_000;

export async function openPromptLog({
  directory,
  sessionId,
  clock,
  conceal = (text) => text,
}: PromptLogOptions): Promise<PromptLog> {
  const logFile = join(directory, 'logs.json');
  const shellFile = join(directory, 'shell_history');
  const logged = await readLog(logFile);
  const commands = (await readText(shellFile)).split('\n').filter((line) => line !== '');
  let writing = Promise.resolve();
  let messageId = 0;

  const enqueue = (write: () => Promise<void>) => {
    // Recall of the next session is a convenience: a full disk must not disturb this one.
    writing = writing.then(write).catch(() => undefined);
  };
  const logPrompt = (message: string) => {
    if (message.length > MAX_MESSAGE) return;
    const timestamp = new Date(clock.now()).toISOString();
    const entry = { sessionId, messageId: messageId++, type: 'user', message: conceal(message), timestamp };
    enqueue(async () => {
      const entries = [...(await readLog(logFile)), entry].slice(-MAX_LOGGED);
      replaceFile(logFile, `${JSON.stringify(entries, null, 2)}\n`, { isSynced: false });
    });
  };
  const logCommand = (command: string) => {
    enqueue(async () => {
      const lines = (await readText(shellFile)).split('\n').filter((line) => line !== '');
      const kept = [...lines, conceal(command).replaceAll('\n', ' ')].slice(-MAX_LOGGED);
      replaceFile(shellFile, `${kept.join('\n')}\n`, { isSynced: false });
    });
  };
  return {
    prompts: createInputHistory(
      logged.filter(isPrompt).map(({ message }) => message),
      logPrompt,
    ),
    commands: createInputHistory(commands, logCommand),
    settled: () => writing,
  };
}

function isPrompt({ type, message }: LogEntry): boolean {
  return type === 'user' && message.trim() !== '';
}

async function readLog(file: string): Promise<LogEntry[]> {
  const text = await readText(file);
  if (text.trim() === '') return [];
  try {
    const value: unknown = JSON.parse(text);
    if (Array.isArray(value)) return value.filter(isLogEntry);
  } catch {
    // Reported with the backup's name; the earlier prompts are still in it.
  }
  await rename(file, `${file}.unreadable`).catch(() => undefined);
  return [];
}

function isLogEntry(value: unknown): value is LogEntry {
  if (typeof value !== 'object' || value === null) return false;
  const { type, message } = value as Partial<Record<keyof LogEntry, unknown>>;
  return typeof type === 'string' && typeof message === 'string';
}

async function readText(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch {
    // Missing or unreadable: there is no history.
    return '';
  }
}
