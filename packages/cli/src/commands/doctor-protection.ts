/** Checks what protects the user for `castor doctor`: variables that are withheld, the audit log, the airgap. Sends nothing. */

import { getErrorMessage } from '@castor/core';
import { countOf, createRedaction, probeBubblewrap, verifyAudit } from '@castor/core/program';
import type { Settings } from '@castor/core/program';
import type { SubcommandContext } from './subcommand-context.ts';
import type { Check } from './doctor-check.ts';

const SHOWN_VARIABLES = 8;

export async function checkProtection(
  settings: Settings,
  { cwd, home, environment }: Pick<SubcommandContext, 'cwd' | 'home' | 'environment'>,
): Promise<Check[]> {
  return [
    checkSecrets(settings, environment),
    checkAudit(settings, home),
    ...(settings.castor.airgap ? [await checkAirgap(environment, cwd)] : []),
  ];
}

function checkSecrets({ security }: Settings, environment: SubcommandContext['environment']): Check {
  const isWithheld = createRedaction(security.environmentVariableRedaction);
  const names = Object.entries(environment).flatMap(([name, value]) =>
    value !== undefined && isWithheld(name, value) ? [name] : [],
  );
  const shown = names.slice(0, SHOWN_VARIABLES).join(', ');
  const more = names.length > SHOWN_VARIABLES ? ` and ${names.length - SHOWN_VARIABLES} more` : '';
  const says = names.length === 0 ? 'no variable to withhold from commands' : `commands do not get ${shown}${more}`;
  return { topic: 'secrets', status: 'ok', says, fix: 'castor leaks searches sessions and logs for secrets in plain.' };
}

function checkAudit({ castor: { audit } }: Settings, home: string): Check {
  const topic = 'audit';
  if (!audit.enabled && !audit.required)
    return {
      topic,
      status: 'missing',
      says: 'the audit log is off',
      fix: 'castor config set castor.audit.enabled true',
    };
  try {
    const { isIntact, lines, key, problems } = verifyAudit(home);
    if (lines === 0 && isIntact) return { topic, status: 'ok', says: 'the audit log has no line yet' };
    const signed = key === undefined ? '' : `, key ${key}`;
    if (isIntact) return { topic, status: 'ok', says: `the audit log is intact: ${countOf(lines, 'line')}${signed}` };
    const [first] = problems;
    const says = `the audit log is not intact: ${first?.where}: ${first?.says}`;
    return { topic, status: 'problem', says, fix: 'castor audit verify lists every problem.' };
  } catch (error) {
    return { topic, status: 'problem', says: `the audit log cannot be read: ${getErrorMessage(error)}` };
  }
}

async function checkAirgap(environment: SubcommandContext['environment'], cwd: string): Promise<Check> {
  const topic = 'airgap';
  if (process.platform !== 'linux') return { topic, status: 'ok', says: 'on: only the host of the model is reached' };
  const probe = await probeBubblewrap(environment, [cwd]);
  if (probe.works) return { topic, status: 'ok', says: 'on: only the host of the model is reached' };
  return { topic, status: 'problem', says: `on, and no session starts: ${probe.reason}` };
}
