/** Writes a line at the end of a file on a full disk: in the room of what the file ends with. Loaded only then. */

import { fstatSync, ftruncateSync, writeSync } from 'node:fs';

/** Never throws: some disks write a file only to new blocks, and then the line is lost. */
export function writeInPlace(line: string, descriptor: number): void {
  try {
    write(line, descriptor);
  } catch {
    // The user is told of the full disk by what could not be written before.
  }
}

/** Within one block that the file has: a full disk gives no other. Does nothing for what is no file. */
function write(line: string, descriptor: number): void {
  const file = fstatSync(descriptor);
  const text = Buffer.from(`\n${line}\n`);
  if (!file.isFile() || text.length >= file.blksize) return;
  const atEnd = Math.max(0, file.size - text.length);
  const block = atEnd - (atEnd % file.blksize);
  const inBlock = Math.min(atEnd, block + file.blksize - text.length);
  // A block of which nothing is left is given back.
  const at = inBlock % file.blksize === 0 ? Math.max(0, inBlock - text.length) : inBlock;
  ftruncateSync(descriptor, at);
  writeSync(descriptor, text, 0, text.length, at);
}
