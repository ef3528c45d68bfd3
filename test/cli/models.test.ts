/** `castor models`: what can be reached now, and what is known of it. */

import { createWorkspace, fakeModel, runCli, say } from '@castor/testkit';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';

interface Row {
  id: string;
  provider: string;
  contextWindow: number | null;
  trainedWindow?: number;
  maxOutput: number | null;
  tools: boolean | null;
  images: boolean | null;
  price: unknown;
  reachable: boolean;
}

async function models(args: string[], env: Record<string, string> = {}, settings: object = {}) {
  await using workspace = await createWorkspace({ homeFiles: { '.gemini/settings.json': JSON.stringify(settings) } });
  const { stdout, stderr, code } = await runCli(['models', ...args], { workspace, env });
  return { stdout, stderr, code, rows: args.includes('--json') ? (JSON.parse(stdout) as Row[]) : [] };
}

async function serveJson(body: () => unknown): Promise<AsyncDisposable & { url: string }> {
  const server = createServer((_, response) =>
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body())),
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/api.json`;
  return { url, [Symbol.asyncDispose]: () => new Promise((resolve) => server.close(() => resolve())) };
}

const work = {
  providers: {
    work: {
      protocol: 'chat',
      baseUrl: 'https://llm.test/v1',
      apiKeyEnv: 'WORK_KEY',
      models: {
        'qwen3-coder': {
          contextWindow: 131_072,
          maxOutput: 16_384,
          input: ['text'],
          tools: true,
          price: { input: 0, output: 0 },
        },
        odd: {},
      },
    },
  },
};

describe('castor models', () => {
  it('says that no model has the word, and goes on without a file of keys that cannot be used', async () => {
    await using workspace = await createWorkspace({ homeFiles: { '.gemini/castor-keys.json': '{' } });
    const { stdout, stderr, code } = await runCli(['models', 'zzzz'], { workspace, env: { GROQ_API_KEY: 'k' } });
    expect(code).toBe(0);
    expect(stdout).toContain('No listed model has zzzz in its name.');
    expect(stderr).toMatch(/warning: .*castor-keys\.json/);
  });

  it('lists a model with its facts where its key is set', async () => {
    const { rows, code } = await models(['--json', 'work/'], { WORK_KEY: 'k' }, work);
    expect(code).toBe(0);
    expect(rows).toEqual([
      {
        id: 'work/qwen3-coder',
        provider: 'work',
        contextWindow: 131_072,
        maxOutput: 16_384,
        tools: true,
        images: false,
        price: { input: 0, output: 0 },
        reachable: true,
      },
      {
        id: 'work/odd',
        provider: 'work',
        contextWindow: null,
        maxOutput: null,
        tools: null,
        images: null,
        price: null,
        reachable: true,
      },
    ]);
  });

  it('lists a model whose key is missing only when asked, and names the variable', { tags: 'wide' }, async () => {
    expect((await models(['--json'], {}, work)).rows).toEqual([]);
    const { rows } = await models(['--json', '--all', 'work/'], {}, work);
    expect(rows.map(({ id, reachable }) => [id, reachable])).toEqual([
      ['work/qwen3-coder', false],
      ['work/odd', false],
    ]);
    const { stdout } = await models(['--all', 'work/'], {}, work);
    expect(stdout).toContain('work/qwen3-coder  131k context · tools · no images · free · key missing: WORK_KEY');
    expect(stdout).toContain('work/odd          context unknown · tools unknown · images unknown · price unknown');
  });

  it('lists the models of the Gemini API with a key', async () => {
    const { rows } = await models(['--json', 'gemini-2.5-pro'], { GEMINI_API_KEY: 'k' });
    expect(rows).toMatchObject([
      { id: 'gemini-2.5-pro', provider: 'gemini', contextWindow: 1_048_576, reachable: true },
    ]);
  });

  it('looks for local servers only when asked', { tags: 'wide' }, async () => {
    await using ollama = await fakeModel([], { protocol: 'ollama', models: [{ name: 'qwen3:8b' }] });
    await using studio = await fakeModel([], {
      protocol: 'chat',
      key: null,
      sides: {
        '/api/v0/models': {
          data: [{ id: 'gemma', type: 'vlm', max_context_length: 131_072, loaded_context_length: 4096 }],
        },
      },
    });
    await using llama = await fakeModel([], {
      protocol: 'chat',
      key: null,
      models: [{ id: 'tiny', meta: { n_ctx_train: 40_960 } }],
      sides: { '/props': { default_generation_settings: { n_ctx: 8192 } } },
    });
    await using vllm = await fakeModel([], {
      protocol: 'chat',
      key: null,
      models: [{ id: 'big', max_model_len: 65_536 }],
    });
    const env = {
      OLLAMA_HOST: ollama.url,
      LMSTUDIO_BASE_URL: studio.url,
      LLAMACPP_BASE_URL: `${llama.url}/v1`,
      VLLM_BASE_URL: vllm.url,
    };
    await models(['--json', '--all'], env);
    expect([ollama, studio, llama, vllm].map(({ connections }) => connections)).toEqual([0, 0, 0, 0]);
    const { rows } = await models(['--json', '--local'], env);
    expect(rows.map(({ trainedWindow }) => trainedWindow)).toEqual([262_144, 131_072, 40_960, undefined]);
    expect(
      rows.map(({ id, contextWindow, tools, images, reachable }) => ({ id, contextWindow, tools, images, reachable })),
    ).toEqual([
      { id: 'ollama/qwen3:8b', contextWindow: 32_768, tools: true, images: false, reachable: true },
      { id: 'lmstudio/gemma', contextWindow: 4096, tools: null, images: true, reachable: true },
      { id: 'llamacpp/tiny', contextWindow: 8192, tools: null, images: null, reachable: true },
      { id: 'vllm/big', contextWindow: 65_536, tools: null, images: null, reachable: true },
    ]);
  });

  it(
    'downloads a newer table on --update, which counts for a session too, and keeps the old one when it fails',
    { tags: 'wide' },
    async () => {
      const model = {
        id: 'brand-new',
        limit: { context: 77_000, output: 9000 },
        cost: { input: 2, output: 4 },
        modalities: { input: ['text'], output: ['text'] },
        tool_call: true,
      };
      // What the bundled table holds of each provider, all with one model.
      const names =
        'anthropic azure cerebras deepseek fireworks-ai groq mistral moonshotai openai openrouter togetherai google-vertex google-vertex-anthropic xai zai';
      const table = Object.fromEntries(names.split(' ').map((name) => [name, { models: { m: model } }]));
      let isBroken = false;
      await using source = await serveJson(() => (isBroken ? { other: 1 } : table));
      await using api = await fakeModel([say('hi')], { protocol: 'anthropic' });
      await using workspace = await createWorkspace();
      const env = { CASTOR_MODELS_URL: source.url, ANTHROPIC_API_KEY: 'k-0123456789' };
      const run = (...args: string[]) => runCli(args, { workspace, env });
      const updated = await run('models', '--update', 'anthropic/');
      expect(updated.stderr).toContain('described 12 models of 15 providers');
      expect(updated.stdout).toContain('anthropic/brand-new  77k context · tools · no images · $2 in, $4 out');
      isBroken = true;
      const failed = await run('models', '--update');
      expect([failed.code, failed.stderr]).toEqual([
        1,
        expect.stringMatching(/was not updated: .*no models of anthropic/),
      ]);
      const elsewhere = { ...env, ANTHROPIC_BASE_URL: api.url };
      const session = await runCli(['-m', 'anthropic/brand-new', '-p', 'hi'], { workspace, env: elsewhere });
      // The window is known; the price is the vendor's, and another server answered.
      expect(session).toMatchObject({ code: 0, stdout: 'hi\n', stderr: '' });
      const listed = await runCli(['models', 'anthropic/'], { workspace, env: elsewhere });
      expect(listed.stdout).toContain('anthropic/brand-new  77k context · tools · no images · price unknown');
    },
  );

  it(
    'asks providers for their lists on --refresh, keeps them, and says which sent none',
    { tags: 'wide' },
    async () => {
      const listed = {
        id: 'vendor/new',
        context_length: 400_000,
        pricing: { prompt: '0.000001', completion: '0.000002' },
      };
      await using router = await fakeModel([], { protocol: 'chat', models: [listed] });
      await using broken = await fakeModel([], { protocol: 'anthropic', key: 'right-key-0123456789' });
      await using workspace = await createWorkspace({
        homeFiles: {
          '.gemini/settings.json': JSON.stringify({ providers: { openrouter: { baseUrl: `${router.url}/v1` } } }),
        },
      });
      const env = {
        OPENROUTER_API_KEY: 'k-0123456789',
        ANTHROPIC_API_KEY: 'wrong-key-0123456789',
        ANTHROPIC_BASE_URL: broken.url,
      };
      const first = await runCli(['models', '--refresh', '--json', 'vendor'], { workspace, env });
      expect(first.stderr).toContain('Anthropic sent no list');
      expect(first.stderr).not.toContain('wrong-key');
      expect(JSON.parse(first.stdout)).toMatchObject([
        { id: 'openrouter/vendor/new', contextWindow: 400_000, price: { input: 1, output: 2 } },
      ]);
      await router.close();
      const later = await runCli(['models', '--json', 'vendor'], { workspace, env });
      expect(JSON.parse(later.stdout)).toMatchObject([{ id: 'openrouter/vendor/new' }]);
    },
  );

  it(
    'uses what a provider sent to --refresh: its window, and its price for the cost of a run',
    { tags: 'wide' },
    async () => {
      const listed = { id: 'new', context_length: 400_000, pricing: { prompt: '0.1', completion: '0.2' } };
      await using server = await fakeModel([say('Hello.')], { protocol: 'chat', models: [listed] });
      const settings = { providers: { openrouter: { baseUrl: `${server.url}/v1` } } };
      await using workspace = await createWorkspace({
        homeFiles: { '.gemini/settings.json': JSON.stringify(settings) },
      });
      const env = { OPENROUTER_API_KEY: 'k-0123456789' };
      await runCli(['models', '--refresh'], { workspace, env });
      const run = await runCli(['-m', 'openrouter/new', '-o', 'json', '-p', 'hi'], { workspace, env });
      const { stats } = JSON.parse(run.stdout) as { stats: { cost_usd: number | null } };
      // 10 tokens of prompt and 5 of answer.
      expect([stats.cost_usd, run.stderr]).toEqual([2, '']);
    },
  );

  it('explains itself', { tags: 'wide' }, async () => {
    expect((await models(['--help'])).stdout).toContain('Usage: castor models');
    expect(await models(['--nonsense'])).toMatchObject({ code: 1, stdout: '' });
    expect((await models([])).stdout).toContain('castor login <provider>');
  });
});
