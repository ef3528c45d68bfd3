/**
 * Opens telemetry for every surface, with the facts only the program knows: how requests are authorised, which
 * installation this is, and how it was started. Loads and writes nothing while telemetry is off.
 */

import { openTelemetry } from '@castor/core';
import type { TelemetryContext, TelemetryPort } from '@castor/core';
import { admitUrl, OutgoingError } from '@castor/core/program';
import { isAirgapped } from './airgap.ts';
import { chooseAuthType } from './auth-type.ts';
import type { ModelAccess } from './credentials.ts';
import { chooseSandbox } from './sandbox.ts';
import type { Start } from './start.ts';

export type TelemetryOccasion = Pick<TelemetryContext, 'sessionId' | 'version' | 'interactive' | 'onProblem'>;

/** Undefined when nothing is reported. Throws TelemetrySettingsError. */
export async function openTelemetryFor(
  { args, settings, environment, home, choice, approval }: Start,
  occasion: TelemetryOccasion,
): Promise<TelemetryPort | undefined> {
  if (!settings.telemetry.enabled) return undefined;
  if (isAirgapped({ args, settings }) && !settings.telemetry.outfile) {
    refuseExport(settings.telemetry);
    return undefined;
  }
  const { access } = choice;
  const { readInstallationId } = await import('./installation-id.ts');
  const installationId = readInstallationId(home);
  const authType = chooseAuthType(settings.security.auth, environment);
  const telemetry = await openTelemetry(settings.telemetry, {
    ...occasion,
    installationId,
    authType,
    ...describeService(access),
  });
  openedMs = performance.now();
  const servers = Object.keys(settings.mcpServers);
  telemetry?.log('gemini_cli.config', 'CLI configuration loaded.', {
    model: choice.model,
    sandbox_enabled: chooseSandbox({ args, settings, environment, home }) !== undefined,
    core_tools_enabled: settings.tools.core?.join(',') ?? '',
    approval_mode: approval.mode,
    api_key_enabled: access.kind === 'gemini' && access.apiKey !== undefined,
    vertex_ai_enabled: authType === 'vertex-ai',
    log_user_prompts_enabled: settings.telemetry.logPrompts,
    file_filtering_respect_git_ignore: settings.context.fileFiltering.respectGitIgnore,
    debug_mode: args.debug ?? false,
    mcp_servers: servers.join(','),
    mcp_servers_count: servers.length,
    output_format: args.outputFormat ?? settings.output.format,
  });
  return telemetry;
}

/** Listed with what was refused, once. */
function refuseExport({ otlpEndpoint }: Start['settings']['telemetry']): void {
  try {
    const url = URL.parse(otlpEndpoint);
    if (url) admitUrl(url, 'telemetry');
  } catch (error) {
    if (!(error instanceof OutgoingError)) throw error;
  }
}

let openedMs = 0;

/** Called when the agent is open: reports how long the start took. */
export async function tellStart(telemetry: TelemetryPort): Promise<void> {
  const startup = await import('./startup-stats.ts');
  startup.tellStart(telemetry, openedMs);
}

/** Names the provider: only Google's service counts as Google's. */
function describeService(access: ModelAccess): Pick<TelemetryContext, 'provider' | 'endpoint'> {
  if (access.kind === 'provider') return { provider: access.named.split('/', 1)[0] ?? '' };
  if (access.kind !== 'gemini') return { provider: `castor.${access.kind}` };
  return { endpoint: access.baseUrl ?? 'https://generativelanguage.googleapis.com' };
}
