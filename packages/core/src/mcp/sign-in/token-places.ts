/** Where sign-ins are kept on disk, and whether any may be: without one, nothing else of this folder is loaded. */

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { userDirectory } from '../../config/paths.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** What signs in: MCP servers, or remote agents over A2A. Each has a store of its own, as in Gemini CLI. */
export type SignInPurpose = 'mcp' | 'a2a';

export function tokenPlaces(home: string, purpose: SignInPurpose = 'mcp') {
  const directory = userDirectory(home);
  return {
    /** Shared with Gemini CLI. */
    file: join(directory, `${purpose}-oauth-tokens.json`),
    /** Gemini CLI's, where it found no keychain. */
    encrypted: join(directory, 'gemini-credentials.json'),
    /** Names the servers whose sign-ins are in the keyring. */
    list: join(directory, `castor-${purpose}-sign-ins.json`),
  };
}

/** The user told Gemini CLI to keep tokens in the keychain. */
export function isKeyringForced(environment: Environment): boolean {
  return environment['GEMINI_FORCE_ENCRYPTED_FILE_STORAGE'] === 'true';
}

export function mayHaveSignIns({ home, environment }: { home: string; environment: Environment }): boolean {
  return isKeyringForced(environment) || Object.values(tokenPlaces(home)).some((path) => existsSync(path));
}
