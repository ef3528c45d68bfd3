import { describe, expect, it } from 'vitest';
import { ApiError } from '../protocol/errors.ts';
import { explainFailure } from './explain-failure.ts';
import type { OpenProvider } from './open-provider.ts';
import { createProviderModels } from './catalogue/provider-catalogue.ts';
import { createEndpoint } from './wire/endpoint.ts';

const opened = (id: string, known: readonly string[] = []): Pick<OpenProvider, 'access' | 'models'> => ({
  access: { id, name: id, protocol: 'chat', endpoint: createEndpoint({ baseUrl: 'http://127.0.0.1:9' }) },
  models: createProviderModels({
    isLocal: true,
    fromSettings: Object.fromEntries(known.map((name) => [name, {}])),
  }),
});
const explain = (error: ApiError, model: string, provider: Pick<OpenProvider, 'access' | 'models'>) =>
  explainFailure(error, { provider: provider.access.id, model }, provider).message;

describe('a failure of a provider', () => {
  it.each([
    [
      'ollama',
      'refused (ECONNREFUSED). ollama does not listen there: start it with "ollama serve", or set its address.',
    ],
    ['work', 'refused (ECONNREFUSED). work does not listen there: start it, or set its address.'],
  ])('names who should listen on this machine: %s', (id, words) => {
    const error = new ApiError('refused (ECONNREFUSED)', { reason: 'network', code: 'ECONNREFUSED' });
    expect(explain(error, 'm', opened(id))).toBe(words);
  });

  const missing = (message: string) => new ApiError(message, { reason: 'not_found', status: 404 });

  it('suggests names like that of a missing model', () => {
    const known = ['gpt-5.4', 'gpt-5.4-mini', 'o3'];
    expect(explain(missing('no such model'), 'gtp-5.4', opened('work', known))).toContain('work/gpt-5.4,');
    expect(explain(missing('no access to gpt-5.4'), 'gpt-5.4', opened('work', known))).toContain('work/gpt-5.4-mini');
  });

  it('suggests none where the path is missing, not the model', () => {
    const error = missing('Invalid URL (POST /v1/chat/completions)');
    expect(explain(error, 'gpt-5.4', opened('work', ['gpt-5.4', 'o3']))).toBe(error.message);
  });

  it("suggests none of the vendor's where another server answers, only what that server is known to have", () => {
    const { access, models } = opened('openai', ['gpt-5.4', 'o3']);
    const at = (more: object) => ({ access: { ...access, isForeign: true, ...more }, models });
    expect(explain(missing('no such model'), 'gtp-5.4', at({}))).toBe('no such model');
    expect(explain(missing('no such model'), 'qwen', at({ listed: { 'qwen3-8b': {} } }))).toMatch(
      /similar name: openai\/qwen3-8b\.$/,
    );
  });
});
