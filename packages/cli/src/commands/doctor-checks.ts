/** The checks of `castor doctor`, in display order. Each checks one thing and never throws. */

import { accessSync, constants, existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { getErrorMessage, listSessions, loadPolicies } from '@castor/core';
import { describeProblem, loadContextFiles, countOf } from '@castor/core/program';
import type { Configuration } from '@castor/core/program';
import { toContextOptions } from '../start/agent-options.ts';
import { chooseApproval } from '../start/approval.ts';
import { chooseModel } from '../start/credentials.ts';
import { ExitError } from '../exit-codes.ts';
import { findInstalledExtensions } from '../start/installed-extensions.ts';
import { loadTrustedConfiguration } from '../start/start.ts';
import type { LoadedConfiguration } from '../start/start.ts';
import { USER_HINTS } from '../start/user-hints.ts';
import { describeUnused } from '../start/unused-settings.ts';
import { trustedFoldersFile } from '../start/trust.ts';
import type { TrustDecision } from '../start/trust.ts';
import type { SubcommandContext } from './subcommand-context.ts';
import type { Check } from './doctor-check.ts';
import { checkEndpoint } from './doctor-endpoint.ts';
import {
  checkCommands,
  checkDirectories,
  checkPrices,
  checkSystemPrompt,
  checkUnknownKeys,
  checkWanted,
  wantsSandbox,
} from './doctor-files.ts';
import { checkEditPrograms } from './doctor-edits.ts';
import { checkMachine } from './doctor-machine.ts';
import { checkMcpServers } from './doctor-mcp.ts';
import { checkProtection } from './doctor-protection.ts';
import { checkProviderModel, checkProviders } from './doctor-providers.ts';
import { inspectLoaded } from './find-hooks.ts';

declare const CASTOR_VERSION: string;

export async function examine(context: SubcommandContext, { isOffline }: { isOffline: boolean }): Promise<Check[]> {
  const first = [checkProgram(), checkHome(context)];
  const loaded = await loadOrExplain(context);
  const path = context.environment['PATH'] ?? '';
  if ('status' in loaded) {
    const machine = await checkMachine(context, { isSandboxWanted: false });
    return [...first, loaded, ...machine, ...checkEditPrograms(path)];
  }
  const { environment } = loaded.configuration;
  const model = checkModel(loaded.configuration, context);
  const policies = await readPolicies(loaded, context);
  return [
    ...first,
    ...checkSettings(loaded.configuration),
    ...checkUnknownKeys(loaded.configuration),
    ...checkWanted(loaded.configuration),
    checkEnvFile(loaded.configuration),
    checkTrust(loaded.trust, context),
    checkPolicies(policies),
    model.check,
    ...(model.access === undefined || isOffline ? [] : [await checkEndpoint(model.access, environment)]),
    ...checkProviders(context),
    ...checkSystemPrompt(loaded.configuration, context),
    await checkContext(loaded, context),
    ...checkDirectories(loaded.configuration, context),
    ...(await checkCommands(loaded.sources, loaded.configuration.settings)),
    ...checkExtensions(loaded),
    ...(await checkPrices(context.home)),
    await checkSessions(context),
    ...checkAdditions(loaded, context),
    ...(await checkMcpServers(loaded, context, { isOffline, rules: policies.rules })),
    ...(await checkProtection(loaded.configuration.settings, { cwd: context.cwd, home: context.home, environment })),
    ...(await checkMachine(context, { isSandboxWanted: wantsSandbox(loaded.configuration, context) })),
    ...checkEditPrograms(path, loaded.configuration.settings.castor.diagnostics),
  ];
}

function checkProgram(): Check {
  const says = `Castor ${CASTOR_VERSION} on Node ${process.versions.node} (${process.platform} ${process.arch})`;
  return { topic: 'program', status: 'ok', says };
}

function checkHome({ home }: SubcommandContext): Check {
  const folder = join(home, '.gemini');
  const place = existsSync(folder) ? folder : home;
  try {
    accessSync(place, constants.W_OK);
    return { topic: 'home', status: 'ok', says: folder };
  } catch (error) {
    return {
      topic: 'home',
      status: 'problem',
      says: `${place} is not writable (${getErrorMessage(error)}): Castor does not record sessions.`,
      fix: 'Make it writable, or set GEMINI_CLI_HOME to a folder that is.',
    };
  }
}

async function loadOrExplain({ cwd, home, environment }: SubcommandContext): Promise<LoadedConfiguration | Check> {
  try {
    const installed = await findInstalledExtensions({ cwd, home });
    return loadTrustedConfiguration({ args: {}, cwd, home, environment, installed });
  } catch (error) {
    if (!(error instanceof ExitError)) throw error;
    return {
      topic: 'settings',
      status: 'problem',
      says: error.message,
      fix: 'Castor does not start until this is fixed.',
    };
  }
}

function checkSettings({ layers, warnings, envFile }: Configuration): Check[] {
  const files = layers.flatMap(({ scope, path, status, skipped }) => {
    if (path === undefined || status === 'absent') return [];
    return status === 'read' ? `${path} (${scope})` : `${path} (${scope}), ignored: ${skipped}`;
  });
  const says = files.length === 0 ? 'no file; all settings have their defaults' : files.join('\n');
  const own = warnings.filter((warning) => !envFile.warnings.includes(warning));
  const problems = own.map((warning): Check => ({ topic: 'settings', status: 'problem', says: warning }));
  return [
    { topic: 'settings', status: 'ok', says, fix: 'castor config show --sources shows the source of each setting.' },
    ...problems,
  ];
}

function checkEnvFile({ envFile }: Configuration): Check {
  const { path, variables, skipped, shadowed, warnings } = envFile;
  if (path === undefined) return { topic: '.env', status: 'ok', says: ['none', ...warnings].join('\n') };
  const taken = Object.keys(variables).join(', ') || 'nothing';
  const left = skipped.map(({ name, reason }) => `not ${name}: ${reason}`);
  const hidden = shadowed === undefined ? [] : [`${shadowed} was ignored: Castor reads only the first file it finds.`];
  return { topic: '.env', status: 'ok', says: [`${path}: ${taken}`, ...left, ...hidden].join('\n') };
}

function checkTrust({ trusted, reason }: TrustDecision, context: SubcommandContext): Check {
  const { cwd } = context;
  if (trusted === false) return { topic: 'trust', status: 'problem', says: reason ?? `${cwd} is not trusted.` };
  if (trusted) return { topic: 'trust', status: 'ok', says: `${cwd} is trusted` };
  return {
    topic: 'trust',
    status: 'missing',
    says: `${cwd} has no trust decision; Castor ignores its configuration`,
    fix: `--skip-trust for one run, or an entry in ${trustedFoldersFile(context)}`,
  };
}

function readPolicies(
  { configuration, sources, extensions }: LoadedConfiguration,
  { home }: SubcommandContext,
): ReturnType<typeof loadPolicies> {
  const { settings, layers } = configuration;
  const approval = chooseApproval({ args: {}, settings, layers, extensions, home, trustedFolder: undefined });
  return loadPolicies({
    sources,
    platform: process.platform,
    settings: approval.rules,
    policyPaths: approval.policyPaths,
    adminPolicyPaths: approval.adminPolicyPaths,
  });
}

function checkPolicies({ files, rules, problems }: Awaited<ReturnType<typeof loadPolicies>>): Check {
  if (problems.length > 0) {
    return { topic: 'policies', status: 'problem', says: problems.map(describeProblem).join('\n') };
  }
  return {
    topic: 'policies',
    status: 'ok',
    says: `${countOf(rules.length, 'rule')}, from ${countOf(files.length, 'file')}`,
  };
}

function checkModel({ settings, environment }: Configuration, context: SubcommandContext) {
  try {
    const { model, access, warnings } = chooseModel({ args: {}, settings, environment });
    if (access.kind === 'provider' || (access.kind === 'gemini' && access.isVertex)) {
      const named = access.kind === 'provider' ? access.named : 'vertex/';
      const { check, address } = checkProviderModel(model, named, context);
      return { check, access: address };
    }
    if (access.kind !== 'gemini') {
      const check: Check = {
        topic: 'model',
        status: 'ok',
        says: `${model}, ${access.kind}: no requests leave this machine`,
      };
      return { check, access: undefined };
    }
    const key = access.apiKey === undefined ? 'without a key' : 'GEMINI_API_KEY is set';
    const check: Check = { topic: 'model', status: 'ok', says: [`${model}; ${key}`, ...warnings].join('\n') };
    return { check, access };
  } catch (error) {
    if (!(error instanceof ExitError)) throw error;
    const check: Check = { topic: 'model', status: 'problem', says: error.message };
    return { check, access: undefined };
  }
}

async function checkContext(
  { configuration, sources }: LoadedConfiguration,
  { home, cwd }: SubcommandContext,
): Promise<Check> {
  const { files, warnings } = await loadContextFiles({
    ...toContextOptions(configuration.settings),
    home,
    directories: [cwd],
    sources,
    hints: USER_HINTS,
  });
  const found = files.map(({ path, bytes }) => `${path} (${bytes} bytes)`);
  return { topic: 'context', status: 'ok', says: [...found, ...warnings].join('\n') || 'no context files' };
}

function checkExtensions({ extensions }: LoadedConfiguration): Check[] {
  if (!extensions) return [];
  const { extensions: loaded, warnings } = extensions;
  const names = loaded.map(({ name, manifest }) => `${name} ${manifest.version}`).join(', ') || 'none is loaded';
  const problems = warnings.map((says): Check => ({ topic: 'extensions', status: 'problem', says }));
  return [{ topic: 'extensions', status: 'ok', says: names, fix: 'castor extensions list shows them.' }, ...problems];
}

async function checkSessions({ home, cwd }: SubcommandContext): Promise<Check> {
  const sessions = await listSessions({ home, root: cwd });
  const [latest] = sessions.slice(-1);
  const where = latest === undefined ? '' : ` in ${dirname(latest.path)}`;
  return { topic: 'sessions', status: 'ok', says: `${countOf(sessions.length, 'session')} of this folder${where}` };
}

/** What settings and sources add to a run. */
function checkAdditions(loaded: LoadedConfiguration, context: SubcommandContext): Check[] {
  const { hooksConfig, telemetry } = loaded.configuration.settings;
  const places = { ...context, isTrusted: loaded.trust.trusted === true };
  const { length: hookCount } = inspectLoaded(loaded, context).hooks;
  return [
    ...describeUnused(loaded.configuration, places, { isComplete: true }).map((says): Check => ({
      topic: 'unused',
      status: 'missing',
      says,
    })),
    ...(hookCount > 0
      ? [
          {
            topic: 'hooks',
            status: 'ok' as const,
            says: `${countOf(hookCount, 'hook')}${hooksConfig.enabled ? '' : ', disabled'}; castor hooks list shows them`,
          },
        ]
      : []),
    ...(telemetry.enabled
      ? [{ topic: 'telemetry', status: 'ok' as const, says: `on, to ${telemetry.outfile ?? telemetry.otlpEndpoint}` }]
      : []),
  ];
}
