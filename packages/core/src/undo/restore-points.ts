/**
 * Restore points in the files that Gemini CLI writes and lists: one before each edit, with the conversation and the call.
 * Castor's own name the call, and undo does the rest; those of Gemini CLI name a commit of its shadow repository.
 */

import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { Content } from '../protocol/content.ts';
import { isRecord } from '../util/is-record.ts';
import { replaceFile } from '../util/replace-file.ts';

export interface RestorePoint {
  readonly name: string;
  readonly toolCall: { readonly name: string; readonly args: Record<string, unknown> };
  readonly clientHistory: readonly Content[];
  /** Of Gemini CLI's shadow repository. */
  readonly commitHash?: string | undefined;
  /** Of Castor: the call in the session it belongs to. */
  readonly callId?: string | undefined;
  readonly sessionId?: string | undefined;
}

export interface NewRestorePoint {
  readonly time: number;
  readonly toolCall: RestorePoint['toolCall'];
  readonly history: readonly Content[];
  readonly callId: string;
  readonly sessionId: string;
  readonly promptId: string;
}

/** The folder of the points, in the project's own. */
export function restorePointFolder(directory: string): string {
  return join(directory, 'checkpoints');
}

/** A call without a file has no point, as with Gemini CLI. */
export function writeRestorePoint(directory: string, point: NewRestorePoint): string | undefined {
  const { toolCall, history, callId, sessionId, promptId, time } = point;
  const file = toolCall.args['file_path'];
  if (typeof file !== 'string' || file === '') return undefined;
  const stamp = new Date(time).toISOString().replaceAll(':', '-').replaceAll('.', '_');
  const name = `${stamp}-${basename(file)}-${toolCall.name}`;
  const content = { history: [], clientHistory: history, toolCall, messageId: promptId, castor: { callId, sessionId } };
  replaceFile(join(restorePointFolder(directory), `${name}.json`), `${JSON.stringify(content, undefined, 2)}\n`);
  return name;
}

/** Names without their ending, oldest first. */
export function listRestorePoints(directory: string): string[] {
  const folder = restorePointFolder(directory);
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((name) => name.endsWith('.json'))
    .map((name) => name.slice(0, -'.json'.length))
    .toSorted();
}

/** A sentence in Gemini CLI's words for a missing or invalid file. */
export function readRestorePoint(directory: string, wanted: string): RestorePoint | string {
  const name = basename(wanted.endsWith('.json') ? wanted : `${wanted}.json`);
  const path = join(restorePointFolder(directory), name);
  if (!existsSync(path)) return `File not found: ${name}`;
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    return `Checkpoint file is invalid: ${(error as Error).message}`;
  }
  const toolCall = isRecord(value) ? value['toolCall'] : undefined;
  if (!isRecord(value) || !isRecord(toolCall) || typeof toolCall['name'] !== 'string')
    return 'Checkpoint file is invalid: toolCall is missing.';
  const { clientHistory, commitHash, castor } = value;
  const text = (of: unknown, key: string) =>
    isRecord(of) && typeof of[key] === 'string' ? (of[key] as string) : undefined;
  return {
    name: name.slice(0, -'.json'.length),
    toolCall: { name: toolCall['name'], args: isRecord(toolCall['args']) ? toolCall['args'] : {} },
    clientHistory: Array.isArray(clientHistory) ? (clientHistory as Content[]) : [],
    commitHash: typeof commitHash === 'string' ? commitHash : undefined,
    callId: text(castor, 'callId'),
    sessionId: text(castor, 'sessionId'),
  };
}
