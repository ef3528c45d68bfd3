/** What a recorder needs: the place of the file, the session's identity, and who hears of a failure. */

import type { Clock } from '../util/clock.ts';
import type { SessionLock } from './session-lock.ts';

export interface SessionRecorderOptions {
  /** `<project's temporary directory>/chats`. */
  directory: string;
  sessionId: string;
  root: string;
  /** A file to resume and its lock; by default the first line creates a new file. */
  file?: { path: string; lock: SessionLock };
  /** The name of a new file; default: from the time and the id. */
  fileName?: string;
  /** Added to the first line of a new file. */
  metadata?: object;
  /** Called once, when recording fails and stops. */
  onProblem?: (message: string) => void;
  clock?: Clock;
}
