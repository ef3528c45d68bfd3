/** Removes the secrets from a log in its place, where it has any. Never follows a planted link. */

import { constants } from 'node:fs';
import { open } from 'node:fs/promises';

const FLAGS = constants.O_RDWR | constants.O_NOFOLLOW | constants.O_NONBLOCK;

export async function concealFile(path: string, conceal: (text: string) => string): Promise<void> {
  const handle = await open(path, FLAGS);
  try {
    const text = await handle.readFile('utf8');
    const clean = conceal(text);
    if (clean === text) return;
    await handle.truncate(0);
    await handle.write(clean, 0, 'utf8');
  } finally {
    await handle.close();
  }
}
