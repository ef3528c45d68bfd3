/**
 * Detects whether a program reads single keys from its terminal (raw mode), as editors,
 * pagers and line editors do: silence then means that it waits for a key. Node cannot
 * query this; `stty` can. False when it cannot be determined.
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
