/**
 * Reads what a remote agent sends: messages, tasks, and updates of a task, in the forms of A2A 0.3 and 1.x. Whatever is
 * of another form is skipped. Pure.
 */

import { cleanContent, cleanLine } from '../mcp/clean-text.ts';
import { isRecord } from '../util/is-record.ts';

export type TaskState =
  | 'submitted'
  | 'working'
  | 'input-required'
  | 'auth-required'
  | 'completed'
  | 'canceled'
  | 'failed'
  | 'rejected'
  | 'unknown';

export interface RemoteMessage {
  readonly isOfUser: boolean;
  readonly text: string;
}

export interface RemoteArtifact {
  readonly id: string;
  readonly name: string;
  readonly text: string;
}

interface Ids {
  readonly taskId?: string | undefined;
  readonly contextId?: string | undefined;
}

export type RemoteUpdate = Ids &
  (
    | { readonly kind: 'message'; readonly message: RemoteMessage }
    | {
        readonly kind: 'task';
        readonly state: TaskState;
        readonly message?: RemoteMessage | undefined;
        readonly artifacts: readonly RemoteArtifact[];
        readonly history: readonly RemoteMessage[];
      }
    | { readonly kind: 'status'; readonly state: TaskState; readonly message?: RemoteMessage | undefined }
    | { readonly kind: 'artifact'; readonly artifact: RemoteArtifact; readonly isAppended: boolean }
  );

/** States after which nothing follows until the user sends another message. */
export const ENDED: ReadonlySet<TaskState> = new Set<TaskState>(['completed', 'canceled', 'failed', 'rejected']);
export const WAITING: ReadonlySet<TaskState> = new Set<TaskState>(['input-required', 'auth-required']);

type Fields = Readonly<Record<string, unknown>>;

/** `msg` is the name of 0.3 over HTTP. */
const WRAPPERS = {
  task: 'task',
  message: 'message',
  msg: 'message',
  statusUpdate: 'status',
  artifactUpdate: 'artifact',
};
const TAGS: Readonly<Record<string, RemoteUpdate['kind']>> = {
  task: 'task',
  message: 'message',
  'status-update': 'status',
  'artifact-update': 'artifact',
};

export function readUpdate(result: unknown): RemoteUpdate | undefined {
  if (!isRecord(result)) return undefined;
  const tag = typeof result['kind'] === 'string' ? TAGS[result['kind']] : undefined;
  if (tag) return toUpdate(tag, result);
  for (const [key, kind] of Object.entries(WRAPPERS))
    if (isRecord(result[key])) return toUpdate(kind as RemoteUpdate['kind'], result[key]);
  // A task on its own, as an answer to a question about it.
  return isRecord(result['status']) && result['id'] !== undefined ? toUpdate('task', result) : undefined;
}

function toUpdate(kind: RemoteUpdate['kind'], fields: Fields): RemoteUpdate | undefined {
  const contextId = textOf(fields['contextId']);
  switch (kind) {
    case 'message':
      return { kind, contextId, taskId: textOf(fields['taskId']), message: toMessage(fields) };
    case 'task': {
      const status = isRecord(fields['status']) ? fields['status'] : {};
      return {
        kind,
        contextId,
        taskId: textOf(fields['id']),
        ...toStatus(status),
        artifacts: recordsOf(fields['artifacts']).map(toArtifact),
        history: recordsOf(fields['history']).map(toMessage),
      };
    }
    case 'status': {
      const status = isRecord(fields['status']) ? fields['status'] : {};
      return { kind, contextId, taskId: textOf(fields['taskId']), ...toStatus(status) };
    }
    case 'artifact': {
      const { artifact, append } = fields;
      if (!isRecord(artifact)) return undefined;
      const isAppended = append === true;
      return { kind, contextId, taskId: textOf(fields['taskId']), artifact: toArtifact(artifact), isAppended };
    }
  }
}

function toStatus(status: Fields): { state: TaskState; message?: RemoteMessage } {
  // `update` is the name of 0.3 over HTTP.
  const message = [status['message'], status['update']].find(isRecord);
  return { state: toState(status['state']), ...(message && { message: toMessage(message) }) };
}

const STATES: ReadonlySet<string> = new Set([...ENDED, ...WAITING, 'submitted', 'working']);

/** `TASK_STATE_INPUT_REQUIRED` and `input-required` are one state. */
function toState(value: unknown): TaskState {
  const text = typeof value === 'string' ? value : '';
  const state = text
    .replace(/^TASK_STATE_/, '')
    .toLowerCase()
    .replaceAll('_', '-')
    .replace('cancelled', 'canceled');
  return STATES.has(state) ? (state as TaskState) : 'unknown';
}

function toMessage(fields: Fields): RemoteMessage {
  const isOfUser = fields['role'] === 'user' || fields['role'] === 'ROLE_USER';
  return { isOfUser, text: textOfParts(fields['parts'] ?? fields['content']) };
}

function toArtifact(fields: Fields): RemoteArtifact {
  const id = textOf(fields['artifactId']) ?? '';
  // The parts of an artifact may be the pieces it was sent in.
  return { id, name: cleanLine(textOf(fields['name']) ?? id, 200), text: textOfParts(fields['parts'], '') };
}

/** The separator stands between two texts; a file or data is a line of its own. */
function textOfParts(value: unknown, separator = '\n'): string {
  let text = '';
  let endsInText = false;
  for (const part of recordsOf(value)) {
    const words = describePart(part);
    if (words === '') continue;
    const isText = typeof part['text'] === 'string';
    if (text !== '') text += isText && endsInText ? separator : '\n';
    text += words;
    endsInText = isText;
  }
  return text;
}

function describePart(part: Fields): string {
  if (typeof part['text'] === 'string') return cleanContent(part['text']);
  const file = isRecord(part['file']) ? part['file'] : part;
  const name = [file['name'], file['filename'], file['uri'], file['fileWithUri'], file['url']].find(
    (each) => typeof each === 'string' && each !== '',
  );
  const isFile = part['file'] !== undefined || part['raw'] !== undefined || part['url'] !== undefined;
  if (isFile) return `File: ${cleanLine(typeof name === 'string' ? name : 'without a name', 500)}`;
  const { data } = part;
  if (data === undefined) return '';
  // The HTTP form of 0.3 wraps it once more.
  const inner = isRecord(data) && Object.keys(data).length === 1 && isRecord(data['data']) ? data['data'] : data;
  return `Data: ${cleanContent(JSON.stringify(inner) ?? '')}`;
}

function recordsOf(value: unknown): Fields[] {
  return Array.isArray(value) ? value.filter(isRecord) : [];
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
