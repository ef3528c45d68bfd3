/** Proves a key with one cheap request, the list of models, and says in a sentence what it found. */

import { ApiError, getErrorMessage, UnauthorizedError } from '@castor/core';
import { countOf, listModels } from '@castor/core/program';
import type { ListedModel } from '@castor/core/program';
import { ExitCode, ExitError } from '../exit-codes.ts';
import type { ConfiguredProvider } from './configure-provider.ts';
import type { KeyPlaces } from './find-key.ts';
import { createProviderEndpoint, proxyFor } from './provider-endpoint.ts';

const LIMIT_MS = 15_000;

export interface ModelListQuestion {
  provider: ConfiguredProvider;
  /** Undefined for a server without one. */
  key: string | undefined;
  /** The header of the variable the key would come from. */
  places: KeyPlaces;
  timeoutMs?: number;
  signal?: AbortSignal | undefined;
}

/** Rejects with UnauthorizedError, ApiError, or an ExitError for a misconfigured provider. */
export async function askForModels({
  provider,
  key,
  places,
  timeoutMs = LIMIT_MS,
  signal,
}: ModelListQuestion): Promise<ListedModel[]> {
  const header = provider.keyHeader ?? 'authorization';
  const endpoint = await createProviderEndpoint(
    provider,
    key === undefined ? undefined : { value: key, header },
    places,
  );
  const { id, protocol } = provider;
  const limits = { connectTimeoutMs: timeoutMs, headersTimeoutMs: timeoutMs, idleTimeoutMs: timeoutMs };
  return listModels({ id, protocol, endpoint, ...limits, proxyFor: proxyFor(places), signal });
}

/** A sentence about an accepted key. Throws an ExitError when the provider rejects it or does not answer. */
export async function verifyKey(question: ModelListQuestion & { key: string }): Promise<string> {
  const { name } = question.provider;
  try {
    const models = await askForModels(question);
    return `${name} accepts the key and offers ${countOf(models.length, 'model')}.`;
  } catch (error) {
    if (error instanceof UnauthorizedError) {
      throw new ExitError(ExitCode.Unauthorized, `${name} rejects the key: ${getErrorMessage(error)}`, {
        cause: error,
      });
    }
    if (!(error instanceof ApiError)) throw error;
    if (error.status === 404 || error.status === 405) {
      return `${name} offers no list of models, so the key is not verified.`;
    }
    throw new ExitError(ExitCode.Failure, `${name} could not verify the key: ${getErrorMessage(error)}`, {
      cause: error,
    });
  }
}
