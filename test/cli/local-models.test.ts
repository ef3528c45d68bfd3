/** Models of servers on this machine: what the server says of a model is known, and told, before it is used. */

import { createWorkspace, fakeModel, runCli, say } from '@castor/testkit';
import type { FakeModelOptions, ModelRequest } from '@castor/testkit';
import { describe, expect, it } from 'vitest';

const ollama = (shown: object): FakeModelOptions => ({ protocol: 'ollama', sides: { '/api/show': shown } });
const trained = { 'qwen3.context_length': 262_144 };

async function run(options: FakeModelOptions, { settings = {} }: { settings?: object } = {}) {
  await using model = await fakeModel([say('Hello.')], options);
  await using workspace = await createWorkspace({ homeFiles: { '.gemini/settings.json': JSON.stringify(settings) } });
  const env = { OLLAMA_HOST: model.url, LLAMACPP_BASE_URL: `${model.url}/v1` };
  const name = options.protocol === 'ollama' ? 'ollama/m' : 'llamacpp/m';
  const { stdout, stderr, code } = await runCli(['-m', name, '-p', 'hi'], { workspace, env });
  const [sent] = model.requests.filter(({ action }) => action === 'streamGenerateContent') as [ModelRequest];
  return { stdout, stderr, code, body: sent.body as { options?: object; tools?: object[]; truncate?: boolean } };
}

describe('a model on Ollama', () => {
  it('gets its tools and a window it can work in, and no word is lost about it', async () => {
    const { body, ...result } = await run(ollama({ capabilities: ['completion', 'tools'], model_info: trained }));
    expect(result).toEqual({ stdout: 'Hello.\n', stderr: '', code: 0 });
    expect(body).toMatchObject({ options: { num_ctx: 32_768 }, truncate: false });
    expect(body.tools?.length).toBeGreaterThan(0);
  });

  it('gets the window of the settings', async () => {
    const settings = { providers: { ollama: { models: { m: { contextWindow: 65_536 } } } } };
    const { body } = await run(ollama({ capabilities: ['tools'], model_info: trained }), { settings });
    expect(body).toMatchObject({ options: { num_ctx: 65_536 } });
  });

  it('without tools is told and gets none', async () => {
    const { body, stdout, stderr, code } = await run(ollama({ capabilities: ['completion'], model_info: trained }));
    expect({ stdout, code }).toEqual({ stdout: 'Hello.\n', code: 0 });
    expect(stderr).toMatch(/m calls no tools, as its server says/);
    expect(body.tools).toBeUndefined();
  });
});

describe('a model on llama.cpp', () => {
  it('whose window is too small to work in is told', async () => {
    const { stderr } = await run({
      protocol: 'chat',
      vendor: 'llamacpp',
      key: null,
      models: [{ id: 'm', owned_by: 'llamacpp', meta: { n_ctx_train: 40_960 } }],
      sides: { '/props': { default_generation_settings: { n_ctx: 256 } } },
    });
    expect(stderr).toMatch(/The context window of llamacpp\/m is too small to work in: it has 256 tokens/);
  });
});
