/**
 * From the choice of a model to the generator that speaks to it. The usual one is at
 * hand, since a file of its own would cost more to find than to hold; the others are
 * loaded when they are chosen.
 */

import { assertNever } from '@castor/core';
import type { ContentGenerator } from '@castor/core';
import type { ModelAccess, ModelChoice } from '../credentials.ts';
import { openGemini } from './gemini.ts';

export async function openGenerator({ access, recordTo }: ModelChoice, cwd: string): Promise<ContentGenerator> {
  const generator = await openAccess(access, cwd);
  if (recordTo === undefined) return generator;
  const recording = await import('./recording.ts');
  return recording.recordTo(recordTo, generator);
}

async function openAccess(access: ModelAccess, cwd: string): Promise<ContentGenerator> {
  switch (access.kind) {
    case 'gemini':
      return openGemini(access);
    case 'offline':
      return (await import('./offline.ts')).openOffline(cwd);
    case 'replay':
      return (await import('./recording.ts')).openReplay(access.path, access.strict);
    default:
      return assertNever(access);
  }
}
