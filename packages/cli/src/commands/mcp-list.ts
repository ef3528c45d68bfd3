/** `castor mcp list`: every configured server and whether it connects, side by side and within a limit. */

import { checkServers } from '@castor/core/program';
import type { CheckedServer, IdleEntry, McpServer, SignInState } from '@castor/core/program';
import { ExitCode } from '../exit-codes.ts';
import { createMask } from '../mask-secrets.ts';
import { STATUS_MARKS } from '../status-marks.ts';
import { toJson } from '../to-json.ts';
import { connectionOptions, findServers, noteWarnings } from './find-servers.ts';
import type { SubcommandContext } from './subcommand-context.ts';

const LIMIT_MS = 5_000;
/** Lines of a server's stderr that explain a failure. */
const STDERR_LINES = 3;

export interface ListOptions {
  isJson: boolean;
  limitMs?: number | undefined;
}

interface Row {
  name: string;
  from?: string | undefined;
  target: string;
  transport?: string | undefined;
  status: 'connected' | 'connecting' | 'blocked' | 'disabled' | 'disconnected';
  error?: string | undefined;
  stderr?: string | undefined;
  connectMs?: number | undefined;
  tools?: number | undefined;
  signIn?: string | undefined;
}

const MARKS: Readonly<Record<Row['status'], string>> = {
  connected: STATUS_MARKS.works,
  connecting: STATUS_MARKS.underWay,
  blocked: STATUS_MARKS.blocked,
  disabled: STATUS_MARKS.off,
  disconnected: STATUS_MARKS.failed,
};

export async function listServers(
  { isJson, limitMs = LIMIT_MS }: ListOptions,
  context: SubcommandContext,
): Promise<ExitCode> {
  const { output } = context;
  const found = await findServers(context);
  noteWarnings(found, context);
  const checked = await checkServers(found.servers, { ...connectionOptions(context, found), limitMs });
  const mask = createMask(found.loaded.configuration.environment);
  const rows = [
    ...checked.map((each) => toRow(each, limitMs, mask)),
    ...found.idle.map((entry) => idleRow(entry)),
  ].toSorted((a, b) => (a.name < b.name ? -1 : 1));
  if (isJson) await output.answer(`${toJson(rows, { indent: 2 })}\n`);
  else if (rows.length === 0) await output.answer('No MCP servers configured.\n');
  else await output.answer(`Configured MCP servers:\n\n${rows.map(toText).join('\n')}\n`);
  return ExitCode.Success;
}

function toRow({ server, state, signIn }: CheckedServer, limitMs: number, mask: ReturnType<typeof createMask>): Row {
  const isReady = state.status === 'ready';
  const isLate = state.status === 'connecting';
  const late = `It was not ready within ${limitMs / 1_000} s. A session waits longer; castor mcp test ${server.name} shows why.`;
  return {
    name: server.name,
    from: server.owner,
    target: describeTarget(server, mask),
    transport: transportOf(server, state),
    status: isReady ? 'connected' : isLate ? 'connecting' : 'disconnected',
    error: isLate ? late : isReady ? undefined : state.lastError,
    stderr: isReady ? undefined : lastLines(state.stderr),
    connectMs: isReady ? state.connectMs : undefined,
    tools: isReady ? state.tools.length : undefined,
    signIn: describeSignIn(signIn),
  };
}

function idleRow({ name, reason, message }: IdleEntry): Row {
  const status = reason === 'blocked' ? 'blocked' : reason === 'invalid' ? 'disconnected' : 'disabled';
  return { name, target: reason, status, error: message };
}

/** `npx -y server (stdio)`; values that look like secrets are masked. */
function describeTarget({ address }: McpServer, mask: ReturnType<typeof createMask>): string {
  if (address.kind !== 'stdio') return String(mask('url', address.url));
  return [address.command, ...(mask('args', address.args) as string[])].join(' ');
}

/** What the connection uses in the end. */
export function transportOf({ address }: McpServer, { isFallback }: CheckedServer['state']): string {
  if (address.kind !== 'http-or-sse') return address.kind;
  return isFallback === true ? 'sse' : 'http';
}

/** Undefined where there is nothing to say. */
export function describeSignIn({ status, expiresAt, isRenewable, place, problem }: SignInState): string | undefined {
  const where =
    place === 'keyring'
      ? 'in the keyring'
      : place === 'encrypted-file'
        ? "in Gemini CLI's encrypted file"
        : 'in a file';
  switch (status) {
    case 'signed-in': {
      const until = expiresAt === undefined || isRenewable ? '' : `, until ${new Date(expiresAt).toISOString()}`;
      return `signed in, ${where}${until}`;
    }
    case 'expired':
      return 'sign-in expired';
    case 'google':
      return 'Google credentials';
    case 'header':
      return 'Authorization header of the entry';
    default:
      return problem;
  }
}

export function lastLines(text = '', count = STDERR_LINES): string | undefined {
  const lines = text.trim().split('\n').slice(-count).join('\n');
  return lines === '' ? undefined : lines;
}

const TEXTS: Readonly<Record<Row['status'], string>> = {
  connected: 'Connected',
  connecting: 'Connecting',
  blocked: 'Blocked',
  disabled: 'Disabled',
  disconnected: 'Disconnected',
};

function toText({ name, from, target, transport, status, error, stderr, connectMs, tools, signIn }: Row): string {
  const owner = from === undefined ? '' : ` (from ${from})`;
  const kind = transport === undefined ? '' : ` (${transport})`;
  const figures = connectMs === undefined ? '' : ` (${connectMs} ms, ${tools} ${tools === 1 ? 'tool' : 'tools'})`;
  const more = [error, signIn, ...(stderr?.split('\n').map((line) => `| ${line}`) ?? [])].filter(
    (line) => line !== undefined,
  );
  const head = `${MARKS[status]} ${name}${owner}: ${target}${kind} - ${TEXTS[status]}${figures}`;
  return [head, ...more.map((line) => `    ${line}`)].join('\n');
}
