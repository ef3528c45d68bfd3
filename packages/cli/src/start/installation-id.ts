/** The id of this installation, shared with Gemini CLI: random, stored in `~/.gemini/installation_id`. */

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeDirectory } from '@castor/core/program';

/** Created when it is missing; undefined where it cannot be stored. Never throws. */
export function readInstallationId(home: string): string | undefined {
  const folder = join(home, '.gemini');
  const path = join(folder, 'installation_id');
  try {
    makeDirectory(folder);
    writeFileSync(path, crypto.randomUUID(), { flag: 'wx', mode: 0o600 });
  } catch {
    // The id exists already, or the folder is not writable; reading tells which.
  }
  try {
    return readFileSync(path, 'utf8').trim() || undefined;
  } catch {
    // The home folder is not readable or writable: reports go out without the id.
    return undefined;
  }
}
