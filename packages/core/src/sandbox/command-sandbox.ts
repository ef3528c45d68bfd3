/** What a sandbox of commands offers, whatever confines them. Types only. */

import type { Confine } from '../util/invocation.ts';
import type { NetworkAttempt, NetworkLog } from './network/network-log.ts';
import type { Quarantine } from './quarantine.ts';
import type { SandboxPlan } from './sandbox-plan.ts';
import type { SandboxProfile } from './sandbox-profile.ts';

export interface CommandSandbox {
  readonly confine: Confine;
  readonly log: NetworkLog;
  readonly quarantine: Quarantine;
  /** What is weaker than usual on this computer. */
  readonly warnings: readonly string[];
  /** Why commands have no network though they should, as a sentence. */
  readonly problem: string | undefined;
  /** Whether the workspace has too many folders to protect every repository inside it. */
  readonly isCutShort: boolean;
  planOf(profile?: SandboxProfile): SandboxPlan;
  /** The protected paths that no mount protects. */
  watched(): readonly string[];
  /** Starts to listen for commands: the result says what they tried to reach. */
  watchNetwork(): () => NetworkAttempt[];
  /** Starts to listen for programs that were ended because they used too much: the result says why. */
  watchStops(): () => string[];
  /** Forgets the plans: the disk or the grants changed. */
  refresh(): void;
  dispose(): void;
}
