/**
 * Loads the runtime's HTTP modules on first use. Importing `node:http` the usual way also evaluates its lazy exports
 * (WebSocket and related), which loads the whole of undici: 25 ms and 13 MB at start. Loading the module itself does
 * not.
 */

import type * as http from 'node:http';
import type * as https from 'node:https';

export interface Transport {
  request: typeof http.request;
  Agent: typeof http.Agent | typeof https.Agent;
}

export function loadTransport(protocol: string): Transport {
  return process.getBuiltinModule(protocol === 'https:' ? 'node:https' : 'node:http');
}
