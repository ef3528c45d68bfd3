/** The way to a companion: streamable HTTP on this machine with its token, or a program's stdin and stdout. */

import { existsSync } from 'node:fs';
import { systemClock } from '@castor/core';
import { openNetworkTransport, StdioTransport } from '@castor/core/program';
import type { RpcTransport } from '@castor/core/program';
import type { CompanionAddress } from './find-companion.ts';

interface Place {
  readonly cwd: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** `onTrouble` is called when a stream breaks; the connection may still live. */
export async function openTransport(
  { port, command, args = [], token }: CompanionAddress,
  host: string,
  { cwd, environment }: Place,
  onTrouble: () => void,
): Promise<RpcTransport> {
  if (command !== undefined) {
    const env = Object.fromEntries(
      Object.entries(environment).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
    );
    return new StdioTransport({ command, args, cwd, env, clock: systemClock });
  }
  const url = `http://${host}:${port}/mcp`;
  const headers = token === undefined ? {} : { Authorization: `Bearer ${token}` };
  const transport = openNetworkTransport({ kind: 'http', url, headers }, 'first', { clock: systemClock })!;
  return watch(transport, onTrouble);
}

/** Where the editor may be: on this machine, and for a program inside a container also outside of it. */
export function hostsOf({ port }: CompanionAddress): readonly string[] {
  const isInside = existsSync('/.dockerenv') || existsSync('/run/.containerenv');
  return isInside && port !== undefined ? ['127.0.0.1', 'host.docker.internal'] : ['127.0.0.1'];
}

function watch(inner: RpcTransport, onTrouble: () => void): RpcTransport {
  return {
    start: () => inner.start(),
    send: (message) => inner.send(message),
    close: () => inner.close(),
    setProtocolVersion: (version) => inner.setProtocolVersion?.(version),
    set onmessage(handler: RpcTransport['onmessage']) {
      inner.onmessage = handler;
    },
    set onclose(handler: RpcTransport['onclose']) {
      inner.onclose = handler;
    },
    set onerror(handler: RpcTransport['onerror']) {
      inner.onerror = (error) => {
        onTrouble();
        handler?.(error);
      };
    },
  };
}
