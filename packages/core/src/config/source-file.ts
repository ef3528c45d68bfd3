/** Reads a JSON file of a source by the rules of settings files: small, regular, an object. */

import { parseJsonText } from './json-text.ts';
import { readSettingsFile } from './settings-disk.ts';

/** Undefined for a missing file. Throws a SettingsError that names file and line. */
export function readSourceFile(path: string): Record<string, unknown> | undefined {
  const file = readSettingsFile(path);
  return file && parseJsonText(path, file.text);
}
