/** Checks the setting castor.smallModel: a provider that does not exist would leave it without effect in silence. */

import { parseProviderModel } from '@castor/core/program';
import { ExitError } from '../exit-codes.ts';
import { configureProvider } from './configure-provider.ts';
import type { ProviderSources } from './configure-provider.ts';

/** A sentence, or undefined where the setting names a provider that can be configured. */
export function describeSmallModel(sources: ProviderSources): string | undefined {
  const id = parseProviderModel(sources.settings.castor.smallModel ?? '')?.provider;
  if (id === undefined || id === 'gemini') return undefined;
  try {
    configureProvider(id, sources);
    return undefined;
  } catch (error) {
    if (!(error instanceof ExitError)) throw error;
    return `castor.smallModel has no effect: ${error.message}`;
  }
}

let hasWarned = false;

/** Once for the process: a terminal opens several agents. */
export function warnOfSmallModel(sources: ProviderSources, warn: (message: string) => void): void {
  const problem = hasWarned ? undefined : describeSmallModel(sources);
  if (problem === undefined) return;
  hasWarned = true;
  warn(problem);
}
