/** The name of this installation, shared with Gemini CLI: a random one, kept in `~/.gemini/installation_id`. */

import { randomUUID } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeDirectory } from '@castor/core/program';

/** Made when there is none yet; undefined where none can be kept. Never throws. */
export function readInstallationId(home: string): string | undefined {
  const folder = join(home, '.gemini');
  const path = join(folder, 'installation_id');
  try {
    makeDirectory(folder);
    writeFileSync(path, randomUUID(), { flag: 'wx', mode: 0o600 });
  } catch {
    // There is one already, or the folder cannot be written; reading tells which.
  }
  try {
    return readFileSync(path, 'utf8').trim() || undefined;
  } catch {
    // A home folder that is not readable or writable: the reports go out without it.
    return undefined;
  }
}
