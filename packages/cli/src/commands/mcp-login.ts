/**
 * `castor mcp login` and `logout`. The address to consent at goes to stderr; a browser is opened where there is one, and
 * in a terminal the user may paste the address that the browser ended at. No token is ever shown.
 */

import { systemClock } from '@castor/core';
import { SignInError, SignIns } from '@castor/core/program';
import type { McpServer, SignInPorts } from '@castor/core/program';
import { ExitCode, ExitError } from '../exit-codes.ts';
import { browserCommand, openBrowser } from '../open-browser.ts';
import { connectionOptions, findServers } from './find-servers.ts';
import type { FoundServers } from './find-servers.ts';
import { describeSignIn } from './mcp-list.ts';
import type { SubcommandContext } from './subcommand-context.ts';

export interface LoginOptions {
  isPlain: boolean;
  mayOpen: boolean;
}

export async function logIn(
  name: string,
  { isPlain, mayOpen }: LoginOptions,
  context: SubcommandContext,
): Promise<ExitCode> {
  const { output, environment } = context;
  const found = await findServers(context);
  const server = requireServer(name, found);
  const cancel = new AbortController();
  const signal = context.signal ? AbortSignal.any([context.signal, cancel.signal]) : cancel.signal;
  const canOpen = mayOpen && browserCommand(environment) !== undefined;
  if (!canOpen && !process.stdin.isTTY && environment['CI']) {
    throw new ExitError(
      ExitCode.Unauthorized,
      `signing in to ${name} needs a user and a browser; there is neither in CI.`,
    );
  }
  const ports = createPorts({ name, canOpen, signal, cancel: () => cancel.abort(), context });
  try {
    const state = await openSignIns(context, found).signIn(server, ports, { isPlain });
    await output.answer(`✓ ${name}: ${describeSignIn(state) ?? 'signed in'}.\n`);
    return ExitCode.Success;
  } catch (error) {
    if ((error as Error).name === 'AbortError')
      throw new ExitError(ExitCode.Interrupted, 'cancelled; nothing is stored.');
    if (!(error instanceof SignInError)) throw error;
    throw new ExitError(ExitCode.Unauthorized, `signing in to ${name} failed. ${error.message}`, { cause: error });
  }
}

export async function logOut(name: string, context: SubcommandContext): Promise<ExitCode> {
  const found = await findServers(context);
  const server = found.servers.find((each) => each.name === name);
  const isGone = await openSignIns(context, found)
    .signOut(server ?? name)
    .catch((error: unknown) => {
      if (!(error instanceof SignInError)) throw error;
      throw new ExitError(ExitCode.Settings, error.message, { cause: error });
    });
  await context.output.answer(isGone ? `The tokens of ${name} are deleted.\n` : `No tokens of ${name} are stored.\n`);
  return ExitCode.Success;
}

function openSignIns(context: SubcommandContext, found: FoundServers): SignIns {
  return new SignIns({ ...connectionOptions(context, found), clock: systemClock });
}

/** Throws an ExitError that says why a session would not start the server. */
export function requireServer(name: string, { servers, idle }: FoundServers): McpServer {
  const server = servers.find((each) => each.name === name);
  if (server) return server;
  const other = idle.find((each) => each.name === name);
  const code = other?.reason === 'untrusted' ? ExitCode.Untrusted : ExitCode.Failure;
  throw new ExitError(
    code,
    other?.message ?? `there is no MCP server ${name} here. To list the servers: castor mcp list`,
  );
}

interface PortQuestion {
  name: string;
  canOpen: boolean;
  signal: AbortSignal;
  cancel(): void;
  context: SubcommandContext;
}

function createPorts({ name, canOpen, signal, cancel, context }: PortQuestion): SignInPorts {
  const { output, environment } = context;
  const ask = async (text: string, until: AbortSignal) => {
    const { askLine } = await import('./ask-terminal.ts');
    const line = await askLine({ text, signal: until });
    // Ctrl+C; an answer that came another way also ends the question.
    if (line === undefined && !until.aborted) cancel();
    return line;
  };
  return {
    signal,
    visit({ url }) {
      const how = canOpen
        ? 'Castor opens this address in your browser; if it does not, open it yourself'
        : 'Open this address in a browser';
      output.note(`Sign in to ${name}. ${how}:\n\n${url}\n`);
      if (canOpen) void openBrowser(url, environment);
    },
    note: (sentence) => output.note(`castor: ${sentence}`),
    ...(process.stdin.isTTY && {
      paste: (until: AbortSignal) => ask('If the browser is on another machine, paste the address it ends at: ', until),
      askClientId: (issuer: string, redirectUri: string) =>
        ask(
          `${issuer} does not register clients itself. Register one there with the redirect address ${redirectUri}.\nIts client id: `,
          signal,
        ),
    }),
  };
}
