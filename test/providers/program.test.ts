/** The built program carries one session through every provider: a tool loop on each, resumed on the next, and back. */

import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  answer,
  call,
  createWorkspace,
  fakeModel,
  fault,
  finish,
  Memory,
  runCli,
  say,
  text,
  thought,
} from '@castor/testkit';
import type { FakeModelOptions, Step } from '@castor/testkit';
import { expect, it } from 'vitest';
import { conversationOf } from './scene.fixture.ts';

const KEY = 'test-key-0123456789';

/** What llama.cpp tells about its model. */
const LLAMA = { '/props': { default_generation_settings: { n_ctx: 65_536 } } };

/** A provider of the table, its scripted server and the variables that name it. */
const CHAIN: readonly [model: string, options: FakeModelOptions, env: (url: string) => Record<string, string>][] = [
  [
    'anthropic/claude-opus-5',
    { protocol: 'anthropic' },
    (url) => ({ ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: KEY }),
  ],
  ['azure/gpt-5.6', { protocol: 'responses' }, (url) => ({ AZURE_OPENAI_ENDPOINT: url, AZURE_OPENAI_API_KEY: KEY })],
  [
    'llamacpp/local',
    { protocol: 'chat', vendor: 'llamacpp', key: null, sides: LLAMA },
    (url) => ({ LLAMACPP_BASE_URL: `${url}/v1` }),
  ],
  ['ollama/qwen3', { protocol: 'ollama' }, (url) => ({ OLLAMA_HOST: url })],
  ['gemini-2.5-flash', { protocol: 'gemini' }, (url) => ({ GOOGLE_GEMINI_BASE_URL: url, GEMINI_API_KEY: KEY })],
];

const loop = (number: number, isGemini: boolean): Step[] => {
  const signature = `state-${number}-`;
  const read = { file_path: 'a.txt' };
  return [
    isGemini
      ? answer(text('I read.'), call('read_file', read, { signature }), finish())
      : answer(thought(`I think ${signature}`, { signature }), text('I read.'), call('read_file', read), finish()),
    say(`Answer ${number}.`),
  ];
};

it('a session goes through every provider and back, each request legal, no key in any file', async () => {
  const memory = new Memory();
  await using workspace = await createWorkspace({ files: { 'a.txt': 'text of a' } });
  for (const [number, [model, options, env]] of CHAIN.entries()) {
    await using server = await fakeModel([...loop(number, options.protocol === 'gemini'), say('Back one.')], {
      ...options,
      memory,
    });
    const ask = (...args: string[]) => runCli([...args, '-m', model], { workspace, env: env(server.url) });
    const first = await ask('-p', `prompt ${number}`, ...(number > 0 ? ['-r', 'latest'] : []));
    expect(first, first.stderr).toMatchObject({ code: 0, stdout: expect.stringContaining(`Answer ${number}.`) });
    const second = await ask('-p', 'and again', '-r', 'latest');
    expect(second, second.stderr).toMatchObject({ code: 0, stdout: expect.stringContaining('Back one.') });
    expect(server.violations.map(({ messages }) => messages)).toEqual([]);
    const sent = JSON.stringify(conversationOf(server).at(-1)!.body);
    // Every provider reads the words of all; state comes back to its own.
    for (let earlier = 0; earlier <= number; earlier++) expect(sent).toContain(`Answer ${earlier}.`);
    const states = CHAIN.map((_, index) => sent.includes(`state-${index}-`));
    expect(states, model).toEqual(CHAIN.map((_, index) => index === number));
    expect(first.stdout + first.stderr + second.stdout + second.stderr).not.toContain(KEY);
  }
  expect(await filesWith(workspace.home, KEY)).toEqual([]);
});

it('T72 a sub-agent of another provider has its own key, costs and legal requests', { tags: 'wide' }, async () => {
  const done = call('complete_task', { result: 'Looked.' });
  const delegate = call('invoke_agent', { agent_name: 'scout', prompt: 'look around' });
  await using near = await fakeModel([answer(delegate, finish()), say('All done.')], { protocol: 'chat', key: KEY });
  await using far = await fakeModel([fault(429, { retryAfter: '0.01' }), answer(done, finish())], {
    protocol: 'anthropic',
    key: `far-${KEY}`,
  });
  const price = { input: 1_000, output: 0 };
  const models = { m: { contextWindow: 100_000, price } };
  const providers = {
    near: { baseUrl: `${near.url}/v1`, apiKeyEnv: 'NEAR_KEY', models },
    far: { protocol: 'anthropic', baseUrl: far.url, apiKeyEnv: 'FAR_KEY', models },
  };
  await using workspace = await createWorkspace({
    homeFiles: {
      '.gemini/settings.json': JSON.stringify({ providers }),
      '.gemini/agents/scout.md': '---\nname: scout\ndescription: Looks.\nmodel: far/m\n---\nYou look.\n',
    },
  });
  const run = await runCli(['-m', 'near/m', '-p', 'use scout', '-o', 'json'], {
    workspace,
    env: { NEAR_KEY: KEY, FAR_KEY: `far-${KEY}` },
  });
  expect(run, run.stderr).toMatchObject({ code: 0 });
  const { response, stats } = JSON.parse(run.stdout);
  expect(response).toBe('All done.');
  const [own, other] = [stats.models['near/m'], stats.models['far/m']];
  expect([own.api.totalErrors, other.api.totalErrors]).toEqual([0, 1]);
  expect([own.cost_usd, other.cost_usd]).toEqual(
    [own, other].map(({ tokens }) => expect.closeTo(tokens.prompt / 1_000, 6)),
  );
  near.assertDone();
  far.assertDone();
});

async function filesWith(folder: string, words: string): Promise<string[]> {
  const found: string[] = [];
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    if ((await readFile(path, 'utf8')).includes(words)) found.push(path);
  }
  return found;
}
