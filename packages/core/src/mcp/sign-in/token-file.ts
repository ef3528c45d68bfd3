/**
 * `~/.gemini/mcp-oauth-tokens.json`: sign-ins as plain JSON that only the owner can read, shared with Gemini CLI. It is
 * replaced atomically; entries that Castor does not understand stay as they are.
 */

import { chmodSync, readFileSync, rmSync, statSync } from 'node:fs';
import { getErrorMessage } from '../../protocol/errors.ts';
import { replaceFile } from '../../util/replace-file.ts';
import { SignInError } from './sign-in-error.ts';
import { toStoredSignIn } from './stored-sign-in.ts';
import type { StoredSignIn } from './stored-sign-in.ts';

const OTHERS_MAY_READ = 0o077;

export class TokenFile {
  readonly path: string;

  constructor(path: string) {
    this.path = path;
  }

  /** Throws a SignInError for a file that is not a list. */
  find(isWanted: (signIn: StoredSignIn) => boolean): StoredSignIn | undefined {
    return this.read()
      .map(toStoredSignIn)
      .findLast((signIn) => signIn !== undefined && isWanted(signIn));
  }

  /** Replaces the sign-ins that match; undefined removes them. Returns whether there were any. */
  replace(isOld: (signIn: StoredSignIn) => boolean, signIn: StoredSignIn | undefined): boolean {
    const before = this.read();
    const others = before.filter((entry) => {
      const known = toStoredSignIn(entry);
      return known === undefined || !isOld(known);
    });
    const after = signIn ? [...others, signIn] : others;
    if (after.length > 0) replaceFile(this.path, `${JSON.stringify(after, null, 2)}\n`);
    else rmSync(this.path, { force: true });
    return others.length < before.length;
  }

  private read(): unknown[] {
    let text: string;
    try {
      if (process.platform !== 'win32' && (statSync(this.path).mode & OTHERS_MAY_READ) !== 0)
        chmodSync(this.path, 0o600);
      text = readFileSync(this.path, 'utf8');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
      throw new SignInError('setup', `${this.path} is not readable: ${getErrorMessage(error)}`, { cause: error });
    }
    try {
      const entries: unknown = JSON.parse(text);
      if (Array.isArray(entries)) return entries;
    } catch {
      // Reported below, without the content: it holds tokens.
    }
    throw new SignInError('setup', `${this.path} is not a JSON list of sign-ins. Repair or delete it.`);
  }
}
