/**
 * Guards the processes that a command outside an agent starts, such as `castor mcp list`: when it ends, everything they started ends,
 * also what left their groups.
 */

import type { ChildGuard } from './run-child.ts';
import { CALL_MARK } from './shell/child-environment.ts';
import { killMarkedProcesses } from './shell/stray-processes.ts';
import { Watchdog } from './shell/watchdog.ts';

export interface OwnChildren {
  readonly guard: ChildGuard;
  /** Resolves when no process is left. */
  end(): Promise<void>;
}

export function guardOwnChildren(): OwnChildren {
  const watchdog = new Watchdog();
  return {
    guard: {
      prepare: () => ({ [CALL_MARK]: watchdog.nextMark() }),
      watch: (group) => watchdog.watch(group),
      unwatch: (group) => watchdog.unwatch(group),
    },
    async end() {
      if (watchdog.hasCalls) await killMarkedProcesses(watchdog.mark);
      watchdog.dispose();
    },
  };
}
