/**
 * Adds to a provider's failure what its catalogue knows: learns the window that a rejection names, and suggests names
 * like that of a missing model. Loaded after a failure.
 */

import { ApiError } from '../protocol/errors.ts';
import { editDistance } from '../util/edit-distance.ts';
import type { ProviderModels } from './catalogue/provider-catalogue.ts';
import type { ProviderModel } from './provider-model.ts';

const MAX_SUGGESTIONS = 3;

export function explainFailure(error: ApiError, { provider, model }: ProviderModel, models: ProviderModels): ApiError {
  if (error.reason === 'context_overflow' && error.window !== undefined) {
    models.correct(model, { contextWindow: error.window });
  }
  const names = models.names().filter((name) => name !== model);
  if (error.reason !== 'not_found' || names.length === 0) return error;
  const similar = names
    .map((name) => ({ name, distance: editDistance(model.toLowerCase(), name.toLowerCase()) }))
    .toSorted((a, b) => a.distance - b.distance)
    .slice(0, MAX_SUGGESTIONS)
    .map(({ name }) => `${provider}/${name}`);
  const { reason, status, code } = error;
  return new ApiError(`${error.message} Known models with a similar name: ${similar.join(', ')}.`, {
    reason,
    ...(status !== undefined && { status }),
    ...(code !== undefined && { code }),
    cause: error,
  });
}
