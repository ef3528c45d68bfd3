/** A server called `one`, of an entry. For tests. */

import { selectServers } from '../select-servers.ts';
import type { McpServer } from '../server-config.ts';

export function toServer(entry: object, source: 'user' | 'project' = 'user'): McpServer {
  const servers = { one: entry };
  return selectServers([{ source, servers, written: servers }]).servers[0]!;
}
