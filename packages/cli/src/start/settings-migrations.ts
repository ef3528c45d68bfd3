/** Settings files brought up to date; in a file of its own because nearly no run has to. */

import { writeMigrations } from '@castor/core/program';
import type { SettingsLayer } from '@castor/core/program';

/** Gives a sentence for each file that could not be written. */
export function updateSettingsFiles(layers: readonly SettingsLayer[]): readonly string[] {
  return writeMigrations({ layers });
}
