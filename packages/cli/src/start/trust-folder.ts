/** Records the user's trust decision on a folder: whether it is trusted, and that it had no hooks at that time. */

import { existsSync } from 'node:fs';
import { getErrorMessage } from '@castor/core';
import { consentToHooks, loadConfiguration, setTrust, toHookLayers } from '@castor/core/program';
import type { TrustLevel } from '@castor/core/program';

export interface FolderDecision {
  folder: string;
  level: TrustLevel;
  /** The user's file of trusted folders. */
  file: string;
  home: string;
}

/**
 * Throws when the decision cannot be written. Hooks the folder has are announced when they first run; hooks added later
 * to a folder without any run only after a consent of their own.
 */
export function decideOnFolder({ folder, level, file, home }: FolderDecision): void {
  setTrust(file, folder, level);
  if (level === 'DO_NOT_TRUST' || !existsSync(folder) || hasHooks(folder, home)) return;
  try {
    consentToHooks({ root: folder, home }, []);
  } catch (error) {
    throw new Error(`The folder is trusted, but recording its state failed: ${getErrorMessage(error)}`, {
      cause: error,
    });
  }
}

function hasHooks(folder: string, home: string): boolean {
  try {
    // Variables cannot add a hook, so none are needed.
    const options = { home, cwd: folder, environment: {}, platform: process.platform, isTrusted: true };
    const layers = toHookLayers(loadConfiguration(options).layers);
    return layers.some(({ source, hooks }) => source === 'project' && hooks !== undefined);
  } catch {
    // Unreadable settings may contain hooks.
    return true;
  }
}
