/** loadSession: what a session on the disk holds, to look at. It takes no lock and changes nothing. */

import type { AgentEvent } from '../protocol/agent-events.ts';
import type { Content } from '../protocol/content.ts';
import { stateOf } from './pre-images.ts';
import { findSession } from './session-find.ts';
import { toSessionHistory } from './session-history.ts';
import { parseSession } from './session-loader.ts';
import { hasLoss } from './recording-gap.ts';
import { readSessionFile } from './session-read.ts';
import type { ProjectSessions, SessionSummary } from './session-list.ts';
import { toSessionEvents } from './session-transcript.ts';

export interface LookedAtSession extends SessionSummary {
  history: Content[];
  /** As a surface would show it. */
  events: AgentEvent[];
}

/** Undefined when `latest` is asked for and there is none. Throws SessionError. */
export async function loadSession(wanted: string, project: ProjectSessions): Promise<LookedAtSession | undefined> {
  const found = await findSession(wanted, project);
  if (!found) return undefined;
  const session = parseSession(readSessionFile(found.path));
  const { turns, openCalls } = toSessionHistory(session.messages, { hasLoss: hasLoss(found.path), stateOf });
  return { ...found, history: turns, events: toSessionEvents(session, openCalls) };
}
