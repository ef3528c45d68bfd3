/**
 * Opens the generator for the chosen model. The usual one is bundled, since loading a separate file costs more than it
 * saves; the others are loaded on demand.
 */

import { assertNever } from '@castor/core';
import type { ContentGenerator } from '@castor/core';
import type { Settings } from '@castor/core/program';
import type { ModelAccess, ModelChoice } from '../start/credentials.ts';
import { openGemini } from './gemini.ts';

export interface GeneratorQuestion {
  choice: ModelChoice;
  cwd: string;
  settings: Pick<Settings, 'advanced'>;
  /** Including variables of the user's .env file. */
  environment: Readonly<Record<string, string | undefined>>;
}

export async function openGenerator(question: GeneratorQuestion): Promise<ContentGenerator> {
  const { access, recordTo } = question.choice;
  const { dnsResolutionOrder } = question.settings.advanced;
  // Loaded only when a setting needs it: names resolve without it.
  if (dnsResolutionOrder !== undefined) (await import('node:dns')).setDefaultResultOrder(dnsResolutionOrder);
  const generator = await openAccess(access, question);
  if (recordTo === undefined) return generator;
  const recording = await import('./recording.ts');
  return recording.recordTo(recordTo, generator);
}

async function openAccess(access: ModelAccess, { cwd, environment }: GeneratorQuestion): Promise<ContentGenerator> {
  switch (access.kind) {
    case 'gemini':
      return openGemini(access, environment);
    case 'offline':
      return (await import('./offline.ts')).openOffline(cwd);
    case 'replay':
      return (await import('./recording.ts')).openReplay(access.path, access.strict);
    default:
      return assertNever(access);
  }
}
