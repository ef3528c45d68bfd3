/** The last rows of a conversation: what it took, and how to go on with it. Pure. */

import { countOf } from '@castor/core/program';
import { shortCost, shortDuration } from '../../short-numbers.ts';
import type { Styles } from '../theme/styles.ts';

const RANDOM_ID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/;

export interface SpentSession {
  readonly sessionId: string;
  readonly ms: number;
  readonly calls: number;
  /** How many files changed; 0 where it is unknown. */
  readonly files: number;
  readonly added: number;
  readonly removed: number;
  readonly usd: number | undefined;
}

/** `castor  14m 02s · 9 calls · 3 files +62 −1 · $0.02`, and the command that resumes it, to be typed or copied. */
export function renderExit(spent: SpentSession, styles: Styles): string[] {
  const { sessionId, ms, calls, files, added, removed, usd } = spent;
  const changes = [files > 0 && countOf(files, 'file'), added > 0 && `+${added}`, removed > 0 && `−${removed}`].filter(
    Boolean,
  );
  const facts = [
    shortDuration(ms),
    calls > 0 && countOf(calls, 'call'),
    changes.join(' '),
    usd !== undefined && shortCost(usd),
  ].filter(Boolean);
  const resume = `castor -r ${shortId(sessionId)}`;
  if (styles.isSpoken) return [`Castor ran for ${facts.join(', ')}.`, `To go on: ${resume}`];
  return [
    `${styles.bold(styles.gradient('castor'))}  ${styles.secondary(facts.join(' · '))}`,
    `${resume} ${styles.secondary('goes on')}`,
  ];
}

/** Eight random digits name a session; ids that a user chose may begin alike. */
function shortId(sessionId: string): string {
  return RANDOM_ID.test(sessionId) ? sessionId.slice(0, 8) : sessionId;
}
