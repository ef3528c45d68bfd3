/**
 * Records the user's trust decision on a folder: whether it is trusted, that it had no hooks at that time, and the MCP
 * servers that the user agreed to.
 */

import { existsSync } from 'node:fs';
import { getErrorMessage } from '@castor/core';
import { consentToHooks, consentToServers, setTrust } from '@castor/core/program';
import type { TrustLevel } from '@castor/core/program';
import type { FolderPrograms } from './folder-programs.ts';

export interface FolderDecision {
  folder: string;
  level: TrustLevel;
  /** The user's file of trusted folders. */
  file: string;
  home: string;
  /** What the user was shown; undefined for unreadable settings. */
  programs: FolderPrograms | undefined;
}

/**
 * Throws when the decision cannot be written. Hooks the folder has are announced when they first run; hooks added later
 * to a folder without any run only after a consent of their own. MCP servers start as they were shown: new and changed
 * ones need another decision.
 */
export function decideOnFolder({ folder, level, file, home, programs }: FolderDecision): void {
  setTrust(file, folder, level);
  if (level === 'DO_NOT_TRUST' || !programs || !existsSync(folder)) return;
  try {
    if (programs.hooks.length === 0) consentToHooks({ root: folder, home }, []);
    consentToServers({ root: folder, home }, programs.servers, { only: true });
  } catch (error) {
    throw new Error(`The folder is trusted, but recording its state failed: ${getErrorMessage(error)}`, {
      cause: error,
    });
  }
}
