/** How this program looks to those that send signals by name or by command line. */

import { readFile } from 'node:fs/promises';
import type { OwnProcess } from './parsed-command.ts';

export async function readOwnProcess(): Promise<OwnProcess> {
  const [name, commandLine] = await Promise.all([
    readFile('/proc/self/comm', 'utf8').catch(() => 'node'),
    readFile('/proc/self/cmdline', 'utf8').catch(() => [process.execPath, ...process.argv.slice(1)].join('\0')),
  ]);
  return { pid: process.pid, name: name.trim(), commandLine: commandLine.replaceAll('\0', ' ').trim() };
}
