/** Refuses to record what `castor replay` could not run again: a recording that will differ is worth less than none. */

import { existsSync } from 'node:fs';
import { findPlaces, isRecord, parseProviderModel, PROVIDERS, readDisabledServers } from '@castor/core/program';
import { ExitCode, ExitError } from '../exit-codes.ts';
import { chooseSandbox } from '../start/sandbox.ts';
import { chooseStartServers } from '../start/start-servers.ts';
import type { Start } from '../start/start.ts';

/** Throws an ExitError that says what to leave out. */
export function refuseUnplayable(start: Start): void {
  const reason = reasonAgainst(start);
  if (reason !== undefined) throw new ExitError(ExitCode.Input, reason);
}

function reasonAgainst(start: Start): string | undefined {
  const { args, choice, approval, extensions } = start;
  if (args.inputFormat === 'stream-json')
    return '--record records one prompt; it does not record --input-format stream-json.';
  if (args.resume !== undefined || args.continue || args.sessionFile !== undefined)
    return '--record records a run from its start; it cannot continue a session.';
  if (approval.includeDirectories.length > 0)
    return '--record records one folder; it does not record --include-directories.';
  if (chooseSandbox(start) !== undefined) return '--record does not record a run with a sandbox; add --no-sandbox.';
  if (choice.access.kind === 'replay') return '--record and --fake-responses exclude each other.';
  if (usesGoogleCredentials(start))
    return '--record does not record Vertex AI: a replay has no Google credentials to sign its requests with. Record with another provider.';
  const loaded = (extensions?.extensions ?? []).map(({ name }) => name);
  if (loaded.length > 0)
    return `--record does not record extensions, and a replay has none: ${loaded.join(', ')}. To record without them: --extensions none`;
  const servers = serversOf(start);
  if (servers.length > 0)
    return `--record does not record MCP servers, and a replay starts none: ${servers.join(', ')}. To record without them: --allowed-mcp-server-names none`;
  const hooks = hooksOf(start);
  if (hooks.length > 0)
    return `--record does not record hooks, and a replay runs none: ${hooks.join(', ')}. To record without them: castor config set hooksConfig.enabled false`;
  return undefined;
}

function usesGoogleCredentials({ choice: { access } }: Start): boolean {
  if (access.kind === 'gemini') return access.isVertex === true;
  if (access.kind !== 'provider') return false;
  const provider = parseProviderModel(access.named)?.provider;
  return PROVIDERS.some(({ id, usesGoogleCredentials: uses }) => id === provider && uses === true);
}

/** Those that this run would start. */
function serversOf(start: Start): string[] {
  const { configuration, sources, trustedFolder, home } = start;
  const loaded = { configuration, sources, trust: { trusted: trustedFolder, source: undefined } };
  return chooseStartServers(start, loaded, readDisabledServers(home)).servers.map(({ name }) => name);
}

/** The files that define hooks. */
function hooksOf({ settings, configuration, sources }: Start): string[] {
  if (!settings.hooksConfig.enabled) return [];
  const inSettings = configuration.layers.filter(({ raw: { hooks } }) => hasEntries(hooks));
  const files = findPlaces(sources, 'hooks').map(({ path }) => path);
  return [
    ...new Set([...inSettings.map(({ path, scope }) => path ?? scope), ...files.filter((path) => existsSync(path))]),
  ];
}

/** An event without an entry runs nothing. */
function hasEntries(hooks: unknown): boolean {
  return isRecord(hooks) && Object.values(hooks).some((list) => Array.isArray(list) && list.length > 0);
}
