/**
 * Reads the sessions of the sub-agents that a session started: `chats/<session>/<agent id>.jsonl`. Tells a resumed parent
 * what became of them, and a reader what they did. Never writes.
 */

import { readdirSync, statSync } from 'node:fs';
import { dirname, join, sep } from 'node:path';
import { findProjectDirectories } from '../config/project-registry.ts';
import type { AgentEvent } from '../protocol/agent-events.ts';
import { GeminiEventType } from '../protocol/events.ts';
import { cutMiddle, MOST_OF_RESULT } from '../util/cut-middle.ts';
import { countOf } from '../util/short-text.ts';
import { readSessionFile } from './read-session-file.ts';
import { replaySession } from './replay-session.ts';
import type { LoadedSession } from './replay-session.ts';
import type { ProjectSessions } from './project-sessions.ts';
import { isSessionId } from './session-file.ts';
import type { SessionMetadata } from './session-file.ts';
import { toSessionHistory } from './session-history.ts';
import type { ToldChild } from './interrupted-call.ts';
import type { SessionSummary } from './session-list.ts';
import { findLockHolder } from './session-lock.ts';
import { toSessionEvents } from './session-transcript.ts';

export interface ChildRecord {
  id: string;
  agent: string;
  path: string;
  /** The call that started it. */
  parentCallId: string | undefined;
  /** `GOAL`, or why it was cut or failed; absent while it runs, and where its program was killed. */
  reason?: string | undefined;
  result?: string | undefined;
  problem?: string | undefined;
  turns: number;
  isRunning: boolean;
  /** The worktree it worked in. */
  worktree?: string | undefined;
  /** As a surface would show it. */
  events: AgentEvent[];
}

/** In the order of their names. `path`: the file of the parent. */
export function listChildren(path: string, sessionId: string): ChildRecord[] {
  if (!isSessionId(sessionId)) return [];
  const folder = join(dirname(path), sessionId);
  return namesIn(folder).flatMap((name) => readChild(join(folder, name)) ?? []);
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
      .filter((name) => name.endsWith('.jsonl'))
      .toSorted();
  } catch {
    // The session started no agent.
    return [];
  }
}

function readChild(path: string): ChildRecord | undefined {
  let session: LoadedSession;
  try {
    session = replaySession(readSessionFile(path));
  } catch {
    // Unreadable: the parent's own record stays.
    return undefined;
  }
  const { sessionId, kind, agentName, parentCallId, agentEnded } = session.metadata;
  if (kind !== 'subagent' || sessionId === undefined || agentName === undefined) return undefined;
  const { reason, result, problem, turns } = toEnd(agentEnded);
  const { openCalls } = toSessionHistory(session.messages);
  return {
    id: sessionId,
    agent: agentName,
    path,
    parentCallId,
    reason,
    result,
    problem,
    turns: turns ?? session.messages.filter(({ type }) => type === 'gemini').length,
    isRunning: findLockHolder(path) !== undefined,
    worktree: worktreeOf(session.metadata),
    events: toSessionEvents(session, openCalls),
  };
}

/** The worktree of an isolated run; its changes are in the `.patch` beside it once the run is cut off. */
export function worktreeOf({ sessionId = '', directories }: Partial<SessionMetadata>): string | undefined {
  const end = join(sep, 'worktrees', sessionId);
  const found = [directories].flat().find((place) => typeof place === 'string' && `${place}${sep}`.includes(end + sep));
  return found?.slice(0, found.indexOf(end) + end.length);
}

function toEnd(ended: SessionMetadata['agentEnded']): Partial<NonNullable<SessionMetadata['agentEnded']>> {
  return typeof ended === 'object' && ended !== null ? ended : {};
}

/** A child ends with its last call, not with words: shows what it handed in, and why it ended. */
export function withEndOfChild(
  events: readonly AgentEvent[],
  { kind, agentEnded }: Partial<SessionMetadata>,
): AgentEvent[] {
  const { reason, result, problem } = toEnd(agentEnded);
  const last = events.at(-1);
  if (kind !== 'subagent' || reason === undefined || last?.type !== 'prompt_ended') return [...events];
  const { prompt_id } = last;
  const handed: AgentEvent[] = result === undefined ? [] : [{ type: GeminiEventType.Content, value: result }];
  const ending: AgentEvent =
    reason === 'GOAL'
      ? { type: 'prompt_ended', prompt_id, outcome: 'completed' }
      : {
          type: 'prompt_ended',
          prompt_id,
          outcome: 'stopped',
          detail: `${reason}: ${problem ?? 'no reason recorded'}`,
        };
  return [...events.slice(0, -1), ...handed, ending];
}

/** The session of a sub-agent by its whole id; undefined for any other word. */
export function findChildSession(wanted: string, { home, root }: ProjectSessions): SessionSummary | undefined {
  const id = wanted.trim();
  if (!isSessionId(id)) return undefined;
  for (const directory of findProjectDirectories(home, root)) {
    const chats = join(directory, 'chats');
    for (const parent of foldersIn(chats)) {
      const path = join(chats, parent, `${id}.jsonl`);
      const found = statSync(path, { throwIfNoEntry: false });
      if (found?.isFile())
        return { id, title: `Sub-agent of ${parent}`, startTime: found.birthtimeMs, lastUpdated: found.mtimeMs, path };
    }
  }
  return undefined;
}

function foldersIn(chats: string): string[] {
  try {
    const entries = readdirSync(chats, { withFileTypes: true });
    return entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  } catch {
    // The project has no recorded session.
    return [];
  }
}

/** For a parent that is resumed: the result that it did not receive, or how far the agent came. */
export function createChildTeller(
  path: string,
  metadata: Partial<SessionMetadata>,
): (callId: string) => ToldChild | undefined {
  let children: readonly ChildRecord[] | undefined;
  return (callId) => {
    const ids = [metadata.sessionId, metadata.forkedFrom].filter((id) => id !== undefined);
    children ??= ids.flatMap((id) => listChildren(path, id));
    const child = children.findLast(({ parentCallId }) => parentCallId === callId);
    return child && tellChild(child);
  };
}

const TOLD_CALLS = 20;

function tellChild(child: ChildRecord): ToldChild {
  const { id, agent, path, reason, result: whole, problem, turns, worktree, events } = child;
  const result = whole === undefined ? undefined : cutMiddle(whole, MOST_OF_RESULT, path);
  if (reason === 'GOAL')
    return {
      hasSucceeded: true,
      text: `Subagent '${agent}' finished.\nTermination Reason: GOAL\nResult:\n${result ?? ''}`,
    };
  const calls = events.flatMap((event) =>
    event.type === GeminiEventType.ToolCallRequest
      ? [`- ${event.value.display?.name ?? event.value.name} ${event.value.display?.description ?? ''}`.trimEnd()]
      : [],
  );
  const cut =
    reason === undefined
      ? `Subagent '${agent}' was cut off by the end of the program`
      : `Subagent '${agent}' failed. Error: ${problem ?? reason}. Termination Reason: ${reason}`;
  const done =
    calls.length === 0
      ? 'It had called no tool.'
      : `Its last calls, ${tellEffects(worktree)}:\n${calls.slice(-TOLD_CALLS).join('\n')}`;
  const partial = result === undefined ? '' : `\nWhat it handed in is partial:\n${result}`;
  const text = `${cut}, after ${countOf(turns, 'turn')}. ${done}${partial}\nTo continue it: invoke_agent with agent_name "${agent}" and resume "${id}".`;
  return { hasSucceeded: false, text };
}

function tellEffects(worktree: string | undefined): string {
  return worktree === undefined
    ? 'whose effects remain'
    : `in a worktree of its own, from which nothing was applied (its changes are in ${worktree}.patch, and a run that continues it has them again)`;
}
