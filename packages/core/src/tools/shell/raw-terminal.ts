/**
 * Whether a program has taken the keys of its terminal one by one, as editors, pagers and
 * line editors do: then silence means that it waits for one. Node cannot ask the system
 * for that; `stty` can. False where it cannot be known.
 */

import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { builtin } from '../../util/builtin-modules.ts';

export async function isRawTerminal(path: string): Promise<boolean> {
  try {
    const handle = await open(path, constants.O_RDONLY | constants.O_NOCTTY | constants.O_NONBLOCK);
    try {
      return (await describeTerminal(handle.fd)).includes('-icanon');
    } finally {
      await handle.close();
    }
  } catch {
    return false;
  }
}

function describeTerminal(descriptor: number): Promise<string> {
  const child = builtin.childProcess.spawn('stty', ['-a'], { stdio: [descriptor, 'pipe', 'ignore'] });
  let text = '';
  child.stdout?.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', () => resolve(text));
  });
}
