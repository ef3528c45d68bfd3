/** The record of a child: a session file of its own beside those of its parent, from which it can be resumed. */

import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ToolError } from '../protocol/errors.ts';
import type { OpenedSession } from '../records/open-session.ts';
import { readSessionFile } from '../records/read-session-file.ts';
import { replaySession } from '../records/replay-session.ts';
import { SessionError } from '../records/session-error.ts';
import { worktreeOf } from '../records/session-children.ts';
import { isSessionId } from '../records/session-file.ts';
import { SessionRecorder } from '../records/session-recorder.ts';
import { resumeChildSession } from '../records/session-resume.ts';
import type { LocalAgent } from '../subagents/agent-definition.ts';
import { withoutUndefined } from '../util/without-undefined.ts';
import type { ParentParts } from './parent-parts.ts';

export interface ChildIdentity {
  agentId: string;
  /** The call that starts it. */
  callId: string;
  directories: readonly string[];
}

/** Undefined where the parent is not recorded. */
export function openChildRecorder(
  parent: ParentParts,
  agent: LocalAgent,
  { agentId, callId, directories }: ChildIdentity,
): SessionRecorder | undefined {
  if (!parent.recorder?.isRecording) return undefined;
  return new SessionRecorder({
    directory: folderOf(parent, parent.recorder),
    sessionId: agentId,
    fileName: `${agentId}.jsonl`,
    root: parent.options.root,
    metadata: {
      kind: 'subagent',
      agentName: agent.name,
      parentSessionId: parent.sessionId,
      parentCallId: callId,
      directories,
    },
    onProblem: parent.warn,
    ...withoutUndefined({ clock: parent.options.clock }),
  });
}

/** `chats/<id of the user's session>`, for every depth. */
function folderOf({ depth, sessionId }: ParentParts, { path }: SessionRecorder): string {
  return depth === 0 ? join(dirname(path), sessionId) : dirname(path);
}

/** A run that goes on. */
export interface ResumedChild {
  session: OpenedSession;
  /** Whether it worked in a worktree. */
  wasIsolated: boolean;
}

/** Throws ToolError. */
export function resumeChild(parent: ParentParts, agent: LocalAgent, id: string): ResumedChild {
  const { recorder, options } = parent;
  const path = recorder && isSessionId(id) ? join(folderOf(parent, recorder), `${id}.jsonl`) : '';
  if (path === '' || !existsSync(path)) {
    const message = `This session has no run "${id}" to resume. Start a new one without resume.`;
    throw new ToolError(message, 'invalid_tool_params');
  }
  const { metadata } = replaySession(readSessionFile(path));
  const { agentName } = metadata;
  if (agentName !== agent.name)
    throw new ToolError(`The run "${id}" is one of the agent ${agentName}.`, 'invalid_tool_params');
  try {
    const { home, root, clock } = options;
    const session = resumeChildSession(path, { home, root, sessionId: id, ...withoutUndefined({ clock }) });
    return { session, wasIsolated: worktreeOf(metadata) !== undefined };
  } catch (error) {
    if (!(error instanceof SessionError)) throw error;
    throw new ToolError(error.message, 'execution_failed');
  }
}
