/**
 * The folder that a scripted stdio server and its test share: the script, the record as JSON lines, a file per released
 * gate, and a socket that each process keeps open for as long as it lives.
 */

import { appendFileSync, existsSync, readFileSync, watch } from 'node:fs';
import { createConnection } from 'node:net';
import { join } from 'node:path';
import type { McpEntry } from './record.ts';

export const folderPaths = (folder: string) => ({
  script: join(folder, 'script.json'),
  record: join(folder, 'record.jsonl'),
  socket: join(folder, 'alive'),
  gate: (name: string) => join(folder, `gate-${name}`),
});

/** Synchronous, so that the entry outlives a crash that follows. */
export function appendEntry(folder: string, entry: McpEntry): void {
  appendFileSync(folderPaths(folder).record, `${JSON.stringify(entry)}\n`);
}

/** Whole lines only: another process may be writing the last one. */
export function readEntries(folder: string): McpEntry[] {
  const { record } = folderPaths(folder);
  if (!existsSync(record)) return [];
  const lines = readFileSync(record, 'utf8').split('\n').slice(0, -1);
  return lines.map((line) => JSON.parse(line) as McpEntry);
}

/** Resolves when the test has released the gate. */
export function passGate(folder: string, name: string): Promise<void> {
  const path = folderPaths(folder).gate(name);
  return new Promise((resolve) => {
    const watcher = watch(folder, () => {
      if (!existsSync(path)) return;
      watcher.close();
      resolve();
    });
    // Released before the watch began.
    if (!existsSync(path)) return;
    watcher.close();
    resolve();
  });
}

/** Connects to the test, which learns of the end of this process by the end of the connection. */
export function showAlive(folder: string): Promise<void> {
  const { socket } = folderPaths(folder);
  if (!existsSync(socket)) return Promise.resolve();
  return new Promise((resolve) => {
    const connection = createConnection(socket, () => {
      connection.write(`${process.pid}\n`);
      connection.unref();
      resolve();
    });
    // The test has ended: the process belongs to nothing and ends, too.
    connection.on('error', () => process.exit());
    connection.on('close', () => process.exit());
  });
}
