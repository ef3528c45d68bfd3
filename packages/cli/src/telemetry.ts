/**
 * Telemetry of a run, for every surface, with what only the program knows: how requests
 * are authorised, which installation this is, and how it was started. Loads nothing and
 * touches nothing while telemetry is off.
 */

import { openTelemetry } from '@castor/core';
import type { TelemetryContext, TelemetryPort } from '@castor/core';
import { chooseAuthType } from './auth-type.ts';
import type { Start } from './start.ts';

export type TelemetryOccasion = Pick<TelemetryContext, 'sessionId' | 'version' | 'interactive' | 'onProblem'>;

/** Undefined when nothing is reported. Throws TelemetrySettingsError. */
export async function openTelemetryFor(
  { settings, environment, home, choice, approval }: Start,
  occasion: TelemetryOccasion,
): Promise<TelemetryPort | undefined> {
  if (!settings.telemetry.enabled) return undefined;
  const { readInstallationId } = await import('./installation-id.ts');
  const installationId = readInstallationId(home);
  const authType = chooseAuthType(settings.security.auth, environment);
  const telemetry = await openTelemetry(settings.telemetry, {
    ...occasion,
    ...(installationId !== undefined && { installationId }),
    ...(authType !== undefined && { authType }),
  });
  telemetry?.log('gemini_cli.config', 'CLI configuration loaded.', {
    model: choice.model,
    approval_mode: approval.mode,
    log_user_prompts_enabled: settings.telemetry.logPrompts,
    output_format: settings.output.format,
  });
  return telemetry;
}
