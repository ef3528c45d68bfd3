/** Locates the user's own files. Every start loads this file, so it contains nothing else. */

import { homedir, userInfo } from 'node:os';

/** `GEMINI_CLI_HOME` if it is set, else the user's home; never the current folder. */
export function homeDirectory(env: Readonly<Record<string, string | undefined>>): string {
  return env['GEMINI_CLI_HOME'] || homedir() || userInfo().homedir;
}
