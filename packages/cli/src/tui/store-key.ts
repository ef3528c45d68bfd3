/** A key the person pasted, kept in ~/.gemini/.env for the next start: readable by its owner only, other lines untouched. */

import { chmod, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { getErrorMessage, makeDirectory } from '@castor/core';

const LINE = /^\s*(?:export\s+)?GEMINI_API_KEY\s*=.*$/m;

/** A sentence when it could not be kept; the key is used all the same. */
export async function storeKey(home: string, key: string): Promise<string | undefined> {
  const folder = join(home, '.gemini');
  const file = join(folder, '.env');
  const temporary = join(folder, `.env.${process.pid}.tmp`);
  try {
    makeDirectory(folder);
    const old = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return '';
      throw error;
    });
    const line = `GEMINI_API_KEY=${JSON.stringify(key)}`;
    const text = LINE.test(old)
      ? old.replace(LINE, () => line)
      : `${old}${old === '' || old.endsWith('\n') ? '' : '\n'}${line}\n`;
    await writeFile(temporary, text, { mode: 0o600, flag: 'w' });
    await chmod(temporary, 0o600);
    await rename(temporary, file);
    return undefined;
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => {});
    return `The key is used now, but could not be kept in ${file}: ${getErrorMessage(error)}`;
  }
}
