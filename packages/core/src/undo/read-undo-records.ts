/**
 * Reads what undo needs from a session's file: its prompts, the calls of each, the files that edits and walks saw change,
 * and what was undone since. The conversation may have been rewound or compressed: the files do not depend on it.
 */

import { isRecord } from '../util/is-record.ts';
import { describeCall } from '../records/describe-call.ts';
import { ownWords } from '../records/resumable-content.ts';
import { toStoredParts } from '../records/session-parts.ts';
import type { FileChange, SessionMessage } from '../records/session-file.ts';
import type { StoredPath } from './byte-path.ts';
import type { StoredChange } from './tree-state.ts';

export interface UndoPrompt {
  /** From 1, in the order of the session. */
  readonly number: number;
  readonly id: string;
  /** Undefined for a step of the user's that is no message. */
  readonly messageId: string | undefined;
  readonly text: string;
  readonly time: string | undefined;
  readonly calls: UndoCall[];
}

export interface UndoCall {
  readonly callId: string;
  readonly name: string;
  readonly description: string;
  /** False: it ran while undo covered edits only. */
  isCovered: boolean;
  /** Whether it may have changed files. */
  hasEffects: boolean;
}

/** In the order of the file. */
export type UndoRecord = { readonly kind: 'edit'; readonly change: FileChange } | WalkRecord | AppliedRecord;

export interface WalkRecord {
  readonly kind: 'walk';
  /** The calls that may have made the changes; none: another program did. */
  readonly callIds: readonly string[];
  readonly count: number;
  readonly changes: readonly StoredChange[];
  readonly list?: string | undefined;
  readonly time?: string | undefined;
  /** Another program made the changes at about the time of the calls. */
  readonly isUnclear?: boolean | undefined;
  /** Castor made exactly these changes itself, from what it found: edits on record came before, whether a walk saw them or not. */
  readonly isExact?: boolean | undefined;
}

/** An undo or redo. */
export interface AppliedRecord {
  readonly kind: 'undo' | 'redo';
  readonly id: string;
  readonly callIds: readonly string[];
  readonly changes: readonly StoredChange[];
  readonly list?: string | undefined;
  /** Whether it was carried out to its end. */
  isFinished: boolean;
  /** Whether it left the repositories' own data out, which another undo can take back. */
  readonly hasLeftGit: boolean;
  /** Other paths that it left, and another undo can take back. */
  readonly left: LeftPaths[];
}

/** Why an undo left a path that a later one can take back: it was not asked to include it, or could not write. */
export type LeftMark = 'git' | 'shared' | 'failed';

export interface LeftPaths {
  readonly mark: Exclude<LeftMark, 'git'>;
  readonly paths: readonly StoredPath[];
  /** The content that names all of them, where they are many. */
  readonly list?: string | undefined;
}

export interface UndoRecords {
  readonly sessionId: string | undefined;
  readonly prompts: UndoPrompt[];
  readonly records: UndoRecord[];
  /** Calls that ran when the program was killed, before a walk could tell what they changed. */
  readonly cutOff: readonly string[];
  /** When the first of them began, in milliseconds since the epoch. */
  readonly cutOffSince?: number | undefined;
}

export function readUndoRecords(bytes: Buffer): UndoRecords {
  const reading = new Reading();
  for (const line of bytes.toString('utf8').split('\n')) {
    if (line === '') continue;
    try {
      const value: unknown = JSON.parse(line);
      if (isRecord(value)) reading.add(value);
    } catch {
      // A torn line: the reader of the session counts it.
    }
  }
  return reading.result();
}

class Reading {
  private sessionId: string | undefined;
  private readonly prompts: UndoPrompt[] = [];
  private readonly records: UndoRecord[] = [];
  private readonly calls = new Map<string, UndoCall>();
  private readonly promptIds = new Set<string>();
  /** Whether the last answer requested nothing more. */
  private isIdle = false;
  /** With the time at which they began. */
  private readonly open = new Map<string, number | undefined>();
  private readonly asked = new Map<string, Record<string, unknown>>();

  add(record: Record<string, unknown>): void {
    const { $callStarted, $fileChange, $walkStarted, $workspaceChange, $undoStarted, $undoEnded } = record;
    const { $restored, $userStep } = record;
    if (isRecord($callStarted)) this.call($callStarted);
    else if (isRecord($fileChange)) this.records.push({ kind: 'edit', change: $fileChange as unknown as FileChange });
    else if (isRecord($walkStarted)) this.walkStarted($walkStarted);
    else if (isRecord($workspaceChange)) this.walk($workspaceChange);
    else if (isRecord($undoStarted)) this.applied($undoStarted);
    else if (isRecord($undoEnded)) this.finished($undoEnded);
    else if (isRecord($restored)) this.step(`/restore ${String($restored['name'])}`, $restored['time']);
    else if (isRecord($userStep)) this.step(String($userStep['text']), $userStep['time']);
    else if (record['type'] === 'gemini') this.answer(record as never);
    else if (record['type'] === 'user' && typeof record['id'] === 'string') this.message(record as never);
    else if (typeof record['sessionId'] === 'string') this.sessionId ??= record['sessionId'];
  }

  result(): UndoRecords {
    const { sessionId, prompts, records } = this;
    const times = [...this.open.values()].filter((time) => time !== undefined);
    const cutOffSince = times.length > 0 && times.length === this.open.size ? Math.min(...times) : undefined;
    return { sessionId, prompts, records, cutOff: [...this.open.keys()], cutOffSince };
  }

  private message(message: SessionMessage): void {
    const { prompt_id, id } = message;
    const text = ownWords(message);
    // A resumed session counts its prompts anew; what is added to a running one follows an answer with calls.
    if (text === undefined || prompt_id === undefined || (this.promptIds.has(prompt_id) && !this.isIdle)) return;
    this.promptIds.add(prompt_id);
    this.isIdle = false;
    const number = this.prompts.length + 1;
    this.prompts.push({ number, id: prompt_id, messageId: id, text, time: message.timestamp, calls: [] });
  }

  /** What the user did with a slash command, and the call of a restore point, belong to no prompt of the user's. */
  private step(text: string, time: unknown): void {
    const number = this.prompts.length + 1;
    const given = typeof time === 'string' ? time : undefined;
    this.prompts.push({ number, id: `step-${number}`, messageId: undefined, text, time: given, calls: [] });
  }

  private answer({ content }: SessionMessage): void {
    const parts = toStoredParts(content);
    this.isIdle = !parts.some(({ functionCall }) => functionCall);
    for (const { functionCall } of parts)
      if (functionCall?.id !== undefined) this.asked.set(functionCall.id, functionCall.args ?? {});
  }

  private call({ callId, name, args, hasEffects, displayName, description }: Record<string, unknown>): void {
    if (typeof callId !== 'string' || typeof name !== 'string') return;
    const told = describeCall(name, isRecord(args) ? args : this.asked.get(callId));
    const call: UndoCall = {
      callId,
      name: typeof displayName === 'string' ? displayName : told.name,
      description: typeof description === 'string' ? description : told.description,
      isCovered: true,
      hasEffects: hasEffects !== false,
    };
    this.calls.set(callId, call);
    this.prompts.at(-1)?.calls.push(call);
  }

  private walkStarted({ callId, isCovered, at }: Record<string, unknown>): void {
    if (typeof callId !== 'string') return;
    const call = this.calls.get(callId);
    if (call && isCovered === false) {
      call.isCovered = false;
      this.open.delete(callId);
    } else this.open.set(callId, this.open.get(callId) ?? (typeof at === 'number' ? at : undefined));
  }

  private walk({ callIds, count, changes, list, time, isUnclear, isExact }: Record<string, unknown>): void {
    const owners = toTexts(callIds);
    for (const owner of owners) this.open.delete(owner);
    this.records.push({
      kind: 'walk',
      callIds: owners,
      count: typeof count === 'number' ? count : 0,
      changes: Array.isArray(changes) ? (changes as StoredChange[]) : [],
      list: typeof list === 'string' ? list : undefined,
      time: typeof time === 'string' ? time : undefined,
      isUnclear: isUnclear === true,
      isExact: isExact === true,
    });
  }

  private applied({ id, kind, callIds, changes, list, hasLeftGit, left }: Record<string, unknown>): void {
    if (typeof id !== 'string' || (kind !== 'undo' && kind !== 'redo')) return;
    this.records.push({
      kind,
      id,
      callIds: toTexts(callIds),
      changes: Array.isArray(changes) ? (changes as StoredChange[]) : [],
      list: typeof list === 'string' ? list : undefined,
      isFinished: false,
      hasLeftGit: hasLeftGit === true,
      left: toLeft(left),
    });
  }

  private finished({ id, left }: Record<string, unknown>): void {
    for (const record of this.records)
      if ((record.kind === 'undo' || record.kind === 'redo') && record.id === id) {
        record.isFinished = true;
        record.left.push(...toLeft(left));
      }
  }
}

function toTexts(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((each) => typeof each === 'string') : [];
}

function toLeft(value: unknown): LeftPaths[] {
  return Array.isArray(value) ? (value as LeftPaths[]) : [];
}
