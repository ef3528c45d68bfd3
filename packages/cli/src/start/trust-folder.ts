/**
 * Records the user's trust decision on a folder: whether it is trusted, that it had no hooks at that time, and which
 * MCP servers it had.
 */

import { existsSync, realpathSync } from 'node:fs';
import { getErrorMessage } from '@castor/core';
import {
  consentToHooks,
  consentToServers,
  loadConfiguration,
  setTrust,
  toHookLayers,
  toMcpLayers,
} from '@castor/core/program';
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
 * to a folder without any run only after a consent of their own. MCP servers start as they are now: new and changed
 * ones need another decision.
 */
export function decideOnFolder({ folder, level, file, home }: FolderDecision): void {
  setTrust(file, folder, level);
  if (level === 'DO_NOT_TRUST' || !existsSync(folder)) return;
  const layers = readLayers(folder, home);
  if (!layers) return;
  try {
    const root = realpathSync(folder);
    if (!hasHooks(layers)) consentToHooks({ root: folder, home }, []);
    consentToServers({ root, home }, toMcpLayers(layers));
  } catch (error) {
    throw new Error(`The folder is trusted, but recording its state failed: ${getErrorMessage(error)}`, {
      cause: error,
    });
  }
}

type Layers = ReturnType<typeof loadConfiguration>['layers'];

/** Undefined for unreadable settings, which may contain anything. */
function readLayers(folder: string, home: string): Layers | undefined {
  try {
    // The address of a server may contain variables; a hook's command keeps them.
    const options = { home, cwd: folder, environment: process.env, platform: process.platform, isTrusted: true };
    return loadConfiguration(options).layers;
  } catch {
    // The next start reports the reason.
    return undefined;
  }
}

function hasHooks(layers: Layers): boolean {
  return toHookLayers(layers).some(({ source, hooks }) => source === 'project' && hooks !== undefined);
}
