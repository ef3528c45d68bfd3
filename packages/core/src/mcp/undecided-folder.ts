/**
 * Decides where a program of a server runs while the folder has no trust decision: never in that folder, because npx,
 * python and others run what they find there before what the user means (docs/decisions/0088).
 */

import { existsSync, mkdirSync, realpathSync } from 'node:fs';
import { basename, dirname, isAbsolute, join } from 'node:path';
import { isInside } from '../util/is-inside.ts';
import type { McpServer, StdioAddress } from './server-config.ts';

/** Empty until a server writes there: `.` in an argument reaches nothing of the user. A sandbox hides `.gemini`. */
export function neutralDirectory(home: string): string {
  return join(home, '.cache', 'castor', 'mcp-servers');
}

/** Throws file-system errors. */
export function createNeutralDirectory(home: string): void {
  mkdirSync(neutralDirectory(home), { recursive: true, mode: 0o700 });
}

export interface MovedServers {
  /** With the folder each runs in. */
  servers: McpServer[];
  /** Those of them whose entries mean something in the folder, and do not find it. */
  affected: McpServer[];
  /** Programs of the folder itself, and those without a place outside it. */
  refused: McpServer[];
}

export function moveServers(
  servers: readonly McpServer[],
  { home, root }: { home: string; root: string },
): MovedServers {
  const folder = realPath(root);
  const isOfFolder = (path: string) => isInside(path, root) || isInside(realPath(path), folder);
  const neutral = neutralDirectory(home);
  const result: MovedServers = { servers: [], affected: [], refused: [] };
  for (const server of servers) {
    const { address } = server;
    if (address.kind !== 'stdio' || isElsewhere(address, isOfFolder)) result.servers.push(server);
    else if (isOfFolder(neutral) || (isAbsolute(address.command) && isOfFolder(address.command)))
      result.refused.push(server);
    else {
      result.servers.push({ ...server, address: { ...address, cwd: neutral } });
      if (meansFolder(address, root)) result.affected.push(server);
    }
  }
  return result;
}

function isElsewhere({ command, cwd }: StdioAddress, isOfFolder: (path: string) => boolean): boolean {
  const isOwn = isAbsolute(command) && isOfFolder(command);
  return !isOwn && cwd !== undefined && isAbsolute(cwd) && !isOfFolder(cwd);
}

/** A `cwd`, or a word such as `.` or `./server.js` that names something in the folder. */
function meansFolder({ command, args, cwd }: StdioAddress, root: string): boolean {
  return cwd !== undefined || [command, ...args].some((word) => !isAbsolute(word) && existsSync(join(root, word)));
}

/** Of what does not exist, the nearest folder that does counts. */
function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    const parent = dirname(path);
    return parent === path ? path : join(realPath(parent), basename(path));
  }
}
