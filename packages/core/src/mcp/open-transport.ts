/**
 * Opens the transport of an MCP server by its address: a process for stdio, a connection for the network. The
 * invocation is one value, so that one place decides where and with which variables a server runs.
 */

import { resolve } from 'node:path';
import type { ChildGuard } from '../tools/run-child.ts';
import type { Environment } from '../tools/shell/redact-environment.ts';
import type { RedactionOptions } from '../tools/shell/redact-environment.ts';
import type { Clock } from '../util/clock.ts';
import type { Confine } from '../util/invocation.ts';
import type { RequestAuthorization } from './request-authorization.ts';
import { usesGoogleCredentials } from './server-config.ts';
import type { McpServer } from './server-config.ts';
import { createServerEnvironment } from './server-environment.ts';
import type { OpenTransport } from './opened-transport.ts';
import type { OpenKeyring } from './sign-in/keyring.ts';
import { mayHaveSignIns } from './sign-in/token-places.ts';
import { StdioTransport } from './stdio-transport.ts';
import { createNeutralDirectory, neutralDirectory } from './undecided-folder.ts';

export interface TransportOptions {
  /** Holds the stored sign-ins; absent: servers get no token. */
  home?: string | undefined;
  openKeyring?: OpenKeyring | undefined;
  /** The folder the agent works in. */
  root: string;
  environment: Environment;
  secrets?: readonly string[] | undefined;
  redaction?: RedactionOptions | undefined;
  guard?: ChildGuard | undefined;
  confine?: Confine | undefined;
  clock: Clock;
}

export function createOpenTransport(options: TransportOptions): OpenTransport {
  const { home, root, environment: base, secrets, redaction, guard, confine, clock } = options;
  return async (server, attempt) => {
    const { address } = server;
    if (address.kind !== 'stdio') {
      const { openNetworkTransport } = await import('./network-transport.ts');
      const authorization = await findAuthorization(server, options);
      const transport = openNetworkTransport(address, attempt, { clock, authorization });
      return transport && { transport, stderr: () => '', signInProblem: () => authorization?.problem };
    }
    if (attempt === 'fallback') return undefined;
    const { command, args, cwd = '.', env } = address;
    const { variables } = createServerEnvironment({ base, secrets, redaction, env });
    if (home !== undefined && cwd === neutralDirectory(home)) createNeutralDirectory(home);
    const place = { command, args, cwd: resolve(root, cwd), env: variables };
    const transport = new StdioTransport({ ...place, guard, confine, clock });
    return {
      transport,
      stderr: () => transport.stderrTail,
      strayBytes: () => transport.strayBytes,
      endStrays: () => transport.endStrays(),
    };
  };
}

/** Undefined for a server without a stored sign-in. */
async function findAuthorization(
  server: McpServer,
  { home, environment, clock, openKeyring }: TransportOptions,
): Promise<RequestAuthorization | undefined> {
  if (home === undefined) return undefined;
  if (!usesGoogleCredentials(server) && !mayHaveSignIns({ home, environment })) return undefined;
  const { SignIns } = await import('./sign-in/sign-ins.ts');
  return new SignIns({ home, environment, clock, openKeyring }).authorizationOf(server);
}
