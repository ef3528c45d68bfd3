/**
 * The servers that the user disabled: `~/.gemini/mcp-server-enablement.json`, as Gemini CLI writes it. Names are kept in
 * lower case; enabling a server removes its entry.
 */

import { join } from 'node:path';
import { userDirectory } from '../config/paths.ts';
import { readSourceFile } from '../config/source-file.ts';
import { isRecord } from '../util/is-record.ts';
import { replaceFile } from '../util/replace-file.ts';

export function enablementFile(home: string): string {
  return join(userDirectory(home), 'mcp-server-enablement.json');
}

/** Throws a SettingsError for an unreadable file. */
export function readDisabledServers(home: string): string[] {
  const entries = Object.entries(readSourceFile(enablementFile(home)) ?? {});
  return entries.flatMap(([name, entry]) => (isRecord(entry) && entry['enabled'] === false ? [name] : []));
}

/** Throws a SettingsError for an unreadable file, which stays as it is, and file-system errors. */
export function writeServerEnabled(home: string, name: string, isEnabled: boolean): void {
  const path = enablementFile(home);
  const record = { ...readSourceFile(path) };
  const key = name.toLowerCase();
  if (isEnabled) {
    if (!Object.hasOwn(record, key)) return;
    delete record[key];
  } else record[key] = { enabled: false };
  replaceFile(path, `${JSON.stringify(record, null, 2)}\n`);
}
