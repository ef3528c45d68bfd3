/** Finds the installed extensions before a start. Where there are none it reads one folder and loads nothing. */

import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { ExtensionFolder, StartExtensions } from './choose-extensions.ts';

export type { ChosenExtensions, StartExtensions } from './choose-extensions.ts';

/** Undefined where no extension was ever installed. Throws an ExitError for unreadable records. */
export async function findInstalledExtensions(folder: ExtensionFolder): Promise<StartExtensions | undefined> {
  try {
    readdirSync(join(folder.home, '.gemini', 'extensions'));
  } catch {
    // A missing or unreadable folder contributes nothing.
    if (folder.args?.extensions === undefined) return undefined;
  }
  const { readExtensions } = await import('./choose-extensions.ts');
  return readExtensions(folder);
}
