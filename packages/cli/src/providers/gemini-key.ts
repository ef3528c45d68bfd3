/**
 * Stores a key the user pasted in ~/.gemini/.env for the next start, or removes it: readable by its owner only, other
 * lines untouched. Names the login of the settings that the key replaces.
 */

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { getErrorMessage } from '@castor/core';
import { replaceFile } from '@castor/core/program';
import type { Settings } from '@castor/core/program';

const LINE = /^[^\S\n]*(?:export\s+)?GEMINI_API_KEY\s*=.*$/m;
const LINE_AND_END = /^[^\S\n]*(?:export\s+)?GEMINI_API_KEY\s*=.*(?:\n|$)/gm;

/** A sentence when it could not be stored; the key is used all the same. */
export async function storeGeminiKey(home: string, key: string): Promise<string | undefined> {
  const line = `GEMINI_API_KEY=${JSON.stringify(key)}`;
  const problem = await changeFile(home, (old) =>
    LINE.test(old) ? old.replace(LINE, () => line) : `${old}${old === '' || old.endsWith('\n') ? '' : '\n'}${line}\n`,
  );
  return problem === undefined ? undefined : `Castor uses the key, but could not store it: ${problem}`;
}

export const AUTH_SETTING = 'security.auth.selectedType';
export const KEY_LOGIN = 'gemini-api-key';

/** Logins that work without a key of the user, or with one. */
const SUPPORTED: ReadonlySet<string> = new Set(['gateway', KEY_LOGIN, 'vertex-ai']);

/** The login in the settings that a stored key replaces; one that an administrator enforces stays. */
export function replacedLogin({ security: { auth } }: Pick<Settings, 'security'>): string | undefined {
  const { selectedType, enforcedType } = auth;
  return selectedType && !enforcedType && !SUPPORTED.has(selectedType) ? selectedType : undefined;
}

/** A sentence when it could not be removed. */
export async function forgetGeminiKey(home: string): Promise<string | undefined> {
  const problem = await changeFile(home, (old) => old.replace(LINE_AND_END, ''));
  return problem === undefined ? undefined : `The key could not be deleted: ${problem}`;
}

async function changeFile(home: string, change: (old: string) => string): Promise<string | undefined> {
  const file = join(home, '.gemini', '.env');
  try {
    const old = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return '';
      throw error;
    });
    const text = change(old);
    if (text !== old) replaceFile(file, text);
    return undefined;
  } catch (error) {
    return `${file}: ${getErrorMessage(error)}`;
  }
}
