/** Loads a session for reading: its history and events. Takes no lock and changes nothing. */

import type { AgentEvent } from '../protocol/agent-events.ts';
import type { Content } from '../protocol/content.ts';
import { stateOf } from './pre-images.ts';
import { createChildTeller, findChildSession, listChildren, withEndOfChild } from './session-children.ts';
import type { ChildRecord } from './session-children.ts';
import { findSession } from './session-find.ts';
import { findLockHolder } from './session-lock.ts';
import { toSessionHistory } from './session-history.ts';
import { replaySession } from './replay-session.ts';
import { hasLoss } from './recording-gap.ts';
import { readSessionFile } from './read-session-file.ts';
import type { ProjectSessions } from './project-sessions.ts';
import type { SessionSummary } from './session-list.ts';
import { toSessionEvents } from './session-transcript.ts';

export interface LookedAtSession extends SessionSummary {
  history: Content[];
  /** As a surface would show it. */
  events: AgentEvent[];
  /** The sessions of the sub-agents it started. */
  children: ChildRecord[];
  /** Another process has it open. */
  isRunning: boolean;
}

/** Undefined when `latest` is requested and the project has no session. Throws SessionError. */
export async function loadSession(wanted: string, project: ProjectSessions): Promise<LookedAtSession | undefined> {
  const found = findChildSession(wanted, project) ?? (await findSession(wanted, project));
  if (!found) return undefined;
  const session = replaySession(readSessionFile(found.path));
  const { turns, openCalls } = toSessionHistory(session.messages, {
    hasLoss: hasLoss(found.path),
    stateOf,
    childOf: createChildTeller(found.path, session.metadata),
  });
  const children = listChildren(found.path, found.id);
  const isRunning = findLockHolder(found.path) !== undefined;
  const shown = toSessionEvents(session, openCalls, { root: project.root, isRunning });
  return { ...found, history: turns, events: withEndOfChild(shown, session.metadata), children, isRunning };
}
