/** Opens the record of a workspace agent's session, and undo on top of it. */

import { join } from 'node:path';
import type { SessionHooks } from '../hook-ports/open-hooks.ts';
import type { Content } from '../protocol/content.ts';
import { SessionRecorder } from '../records/session-recorder.ts';
import type { FileStore } from '../tools/files/file-store.ts';
import type { Workspace } from '../tools/files/workspace.ts';
import type { ToolRegistry } from '../tools/tool-registry.ts';
import { systemClock } from '../util/clock.ts';
import type { EventInbox } from './event-inbox.ts';
import type { PolicyAdapter } from './policy-adapter.ts';
import type { ResolvedWorkspaceOptions, Warn } from './workspace-options.ts';
import { WorkspaceUndo } from './workspace-undo.ts';

export function openRecorder(
  { session, recordSession, sessionId, clock = systemClock }: ResolvedWorkspaceOptions,
  { root }: Workspace,
  tempDirectory: string,
  warn: Warn,
): SessionRecorder | undefined {
  if (session) return session.recorder;
  if (!recordSession) return undefined;
  const directory = join(tempDirectory, 'chats');
  return new SessionRecorder({ directory, sessionId, root, clock, onProblem: warn });
}

export interface UndoParts {
  root: string;
  tempDirectory: string;
  recorder: SessionRecorder | undefined;
  policy: PolicyAdapter;
  tools: ToolRegistry;
  inbox: EventInbox;
  hooks: SessionHooks | undefined;
  /** The conversation. */
  history: () => readonly Content[];
  store: FileStore;
}

/** Undefined where nothing is recorded, or the user wants none. */
export function openUndo(
  {
    home,
    sessionId,
    clock,
    interactive = false,
    undo: coverage = 'auto',
    checkpointing,
    environment,
  }: ResolvedWorkspaceOptions,
  { root, tempDirectory, recorder, policy, tools, inbox, hooks, history, store }: UndoParts,
): WorkspaceUndo | undefined {
  if (!recorder || coverage === 'off') return undefined;
  return new WorkspaceUndo({
    ...{ home, root, sessionId, tempDirectory, recorder, coverage, interactive, clock },
    programs: environment['PATH'] ?? '',
    history: checkpointing === true ? history : undefined,
    kindOf: (name) => tools.getTool(name)?.kind,
    isEager: () => policy.mode === 'yolo' || policy.mode === 'autoEdit',
    hasHooks: () => hooks !== undefined,
    forgetReads: () => store.ledger.clear(),
    tell: (level, message) => inbox.post({ type: 'notice', level, message }),
  });
}
