/** The last rows of a conversation: what it took, and how to go on with it. Pure. */

import { countOf } from '@castor/core/program';
import { shortCost, shortDuration } from '../../short-numbers.ts';
import type { Styles } from '../theme/styles.ts';

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

/** `castor  14m 02s · 9 calls · 3 files +62 −1 · $0.02`, and the command that resumes it, to be copied. */
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
  return [
    `${styles.bold(styles.gradient('castor'))}  ${styles.secondary(facts.join(' · '))}`,
    `castor --resume ${sessionId} ${styles.secondary('goes on')}`,
  ];
}
