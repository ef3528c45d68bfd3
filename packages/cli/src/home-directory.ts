/** Where the person's own files are. Asked by every start, so that nothing else is in here. */

import { homedir, userInfo } from 'node:os';

/** `GEMINI_CLI_HOME` if it is set, else the user's own; never the folder one happens to be in. */
export function homeDirectory(env: Readonly<Record<string, string | undefined>>): string {
  return env['GEMINI_CLI_HOME'] || homedir() || userInfo().homedir;
}
