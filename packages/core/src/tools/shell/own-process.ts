/** Reads the name and the command line of this program, by which other commands could signal it. */

import { readFile } from 'node:fs/promises';
import type { OwnProcess } from './parsed-command.ts';

export async function readOwnProcess(): Promise<OwnProcess> {
  const [name, commandLine] = await Promise.all([
    readFile('/proc/self/comm', 'utf8').catch(() => 'node'),
    readFile('/proc/self/cmdline', 'utf8').catch(() => [process.execPath, ...process.argv.slice(1)].join('\0')),
  ]);
  return { pid: process.pid, name: name.trim(), commandLine: commandLine.replaceAll('\0', ' ').trim() };
}
