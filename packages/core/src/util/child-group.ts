/**
 * Handles a child process that leads its own group, such as a hook or a helper: signals the
 * whole group, and waits for the child's exit even if another process holds its pipes.
 */

// oxlint-disable-next-line no-restricted-imports -- a type: the two rooms that start processes share no other place
import type { ChildProcess } from 'node:child_process';

export interface ChildExit {
  /** Null when a signal ended it. */
  code: number | null;
  signal: NodeJS.Signals | null;
}

/** How long pipes may stay open after the exit: long enough to drain, too short for a daemon to matter. */
const DRAIN_MS = 250;

/** Resolves when the pipes are closed, soon after the exit. Rejects with the system's error when the start fails. */
export function waitForExit(child: ChildProcess, onExit?: () => void): Promise<ChildExit> {
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code, signal) => {
      onExit?.();
      const drain = setTimeout(() => {
        child.stdout?.destroy();
        child.stderr?.destroy();
      }, DRAIN_MS);
      child.once('close', () => {
        clearTimeout(drain);
        resolve({ code, signal });
      });
    });
  });
}

/** Does nothing when the group is empty. */
export function signalChildGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(process.platform === 'win32' ? pid : -pid, signal);
  } catch {
    // The group is empty.
  }
}
