/**
 * Checks the MCP servers of this folder: starts those a session would start, side by side and within a limit, and shows
 * state, last error, the end of stderr, the time to connect and the sign-in. Offline it starts none.
 */

import type { PolicyRule } from '@castor/core';
import { checkServers, countOf, findUnknownServerTools, SettingsError, toNamed } from '@castor/core/program';
import type { CheckedServer, IdleEntry } from '@castor/core/program';
import type { LoadedConfiguration } from '../start/start.ts';
import type { Check } from './doctor-check.ts';
import { connectionOptions, findServers } from './find-servers.ts';
import type { FoundServers } from './find-servers.ts';
import { describeSignIn, lastLines, transportOf } from './mcp-list.ts';
import type { SubcommandContext } from './subcommand-context.ts';

const LIMIT_MS = 5_000;
const STDERR_LINES = 5;
const TOPIC = 'mcp';

export async function checkMcpServers(
  loaded: LoadedConfiguration,
  context: SubcommandContext,
  { isOffline, rules = [] }: { isOffline: boolean; rules?: readonly PolicyRule[] },
): Promise<Check[]> {
  let found: FoundServers;
  try {
    found = await findServers(context, loaded);
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    return [{ topic: TOPIC, status: 'problem', says: error.message }];
  }
  const { servers, idle, mistakes } = found;
  const idleRows = [
    ...mistakes.map((says): Check => ({ topic: TOPIC, status: 'missing', says })),
    ...idle.map(toIdleCheck),
  ];
  if (servers.length === 0) return idleRows;
  if (isOffline) {
    const names = servers.map(({ name }) => name).join(', ');
    return [{ topic: TOPIC, status: 'ok', says: `${names}: not started (--offline)` }, ...idleRows];
  }
  const checked = await checkServers(servers, { ...connectionOptions(context, found), limitMs: LIMIT_MS });
  const named = [...checked.map(({ state }) => toNamed(state)), ...idle.map(({ name }) => ({ name }))];
  return [...checked.map(toCheck), ...idleRows, ...findUnknownServerTools(rules, named).map(toRuleCheck)];
}

function toCheck({ server, state, signIn }: CheckedServer): Check {
  const { name } = server;
  const about = describeSignIn(signIn);
  if (state.status === 'ready') {
    const figures = `ready in ${state.connectMs} ms, ${countOf(state.tools.length, 'tool')}`;
    const says = [`${name} (${transportOf(server, state)}): ${figures}`, about, ...state.leftOut];
    return { topic: TOPIC, status: state.leftOut.length > 0 ? 'problem' : 'ok', says: lines(says) };
  }
  const late = `not ready within ${LIMIT_MS / 1_000} s; a session waits up to ${server.startLimitMs / 1_000} s`;
  const error = state.status === 'connecting' ? late : state.lastError;
  const stderr = lastLines(state.stderr, STDERR_LINES)?.replaceAll(/^/gm, '| ');
  return {
    topic: TOPIC,
    status: 'problem',
    says: lines([`${name} (${transportOf(server, state)}): ${error}`, about, stderr]),
    fix: `castor mcp test ${name} shows each step; castor mcp disable ${name} leaves it out.`,
  };
}

function toIdleCheck({ reason, message }: IdleEntry): Check {
  const status = reason === 'invalid' ? 'problem' : reason === 'untrusted' ? 'missing' : 'ok';
  return { topic: TOPIC, status, says: message };
}

function toRuleCheck(unknown: string): Check {
  return { topic: TOPIC, status: 'problem', says: `a rule without effect names ${unknown}` };
}

function lines(parts: readonly (string | undefined)[]): string {
  return parts.filter((part) => part !== undefined).join('\n');
}
