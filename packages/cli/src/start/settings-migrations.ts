/** Migrates settings files; a file of its own because hardly any run needs it. */

import { writeMigrations } from '@castor/core/program';
import type { SettingsLayer } from '@castor/core/program';

/** Returns a sentence for each file that could not be written. */
export function updateSettingsFiles(layers: readonly SettingsLayer[]): readonly string[] {
  return writeMigrations({ layers });
}
