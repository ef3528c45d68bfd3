/** Keeps the log of a background command within a limit. Never follows a planted link. */

import { constants } from 'node:fs';
import { open } from 'node:fs/promises';

export const TAIL_BYTES = 64 * 1024;
const BOUND_FLAGS = constants.O_RDWR | constants.O_APPEND | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** Truncates a log to its last part. Output written at that moment may be lost or appear before it. */
export async function boundLog(path: string, limit: number): Promise<void> {
  const handle = await open(path, BOUND_FLAGS);
  try {
    const { size } = await handle.stat();
    if (size <= limit) return;
    const kept = Buffer.alloc(Math.min(size, TAIL_BYTES, limit));
    const { bytesRead } = await handle.read(kept, 0, kept.length, size - kept.length);
    const tail = kept.subarray(0, bytesRead);
    await handle.truncate(0);
    await handle.write(tail.subarray(tail.indexOf(0x0a) + 1));
  } finally {
    await handle.close();
  }
}
