/**
 * Adds to a provider's failure what its catalogue knows: learns the window that a rejection names, suggests names
 * like that of a missing model, and says who should listen on this machine. Loaded after a failure.
 */

import { ApiError } from '../protocol/errors.ts';
import { editDistance } from '../util/edit-distance.ts';
import type { OpenProvider } from './open-provider.ts';
import type { ProviderModel } from './provider-model.ts';

const MAX_SUGGESTIONS = 3;

/** How users start the servers that they run themselves. */
const SERVERS: Readonly<Record<string, string>> = {
  ollama: '"ollama serve"',
  lmstudio: '"lms server start"',
  llamacpp: '"llama-server -m <file>"',
  vllm: '"vllm serve <model>"',
};

export function explainFailure(
  error: ApiError,
  { provider, model }: ProviderModel,
  { access, models }: Pick<OpenProvider, 'access' | 'models'>,
): ApiError {
  if (error.code === 'ECONNREFUSED' && access.endpoint.isLocal) {
    const command = SERVERS[access.id];
    const start = command === undefined ? 'start it' : `start it with ${command}`;
    const said = error.message.replace(/(?<![.!?])$/, '.');
    error.message = `${said} ${access.name} does not listen there: ${start}, or set its address.`;
    return error;
  }
  if (error.reason === 'context_overflow' && error.window !== undefined) {
    models.correct(model, { contextWindow: error.window });
  }
  // Of another server than the vendor's, only the settings and its own list tell what it has.
  const known = access.isForeign ? Object.keys({ ...access.models, ...access.listed }) : models.names();
  // The server does not speak of the model: its address is wrong.
  const isAboutPath = known.includes(model) && !error.message.includes(model);
  const names = known.filter((name) => name !== model);
  if (error.reason !== 'not_found' || names.length === 0 || isAboutPath) return error;
  const similar = similarNames(model, names, `${provider}/`);
  const { reason, status, code } = error;
  return new ApiError(`${error.message} Known models with a similar name: ${similar}.`, {
    reason,
    ...(status !== undefined && { status }),
    ...(code !== undefined && { code }),
    cause: error,
  });
}

/** The names most like a model's own, as a list in words. */
export function similarNames(model: string, names: readonly string[], prefix = ''): string {
  return names
    .map((name) => ({ name, distance: editDistance(model.toLowerCase(), name.toLowerCase()) }))
    .toSorted((a, b) => a.distance - b.distance)
    .slice(0, MAX_SUGGESTIONS)
    .map(({ name }) => `${prefix}${name}`)
    .join(', ');
}
