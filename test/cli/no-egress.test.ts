/**
 * With default settings the only address ever contacted is the model's. A module loaded
 * before the program writes down every connection, every name that is looked up and
 * every process that is started, at the level where Node leaves itself.
 */

import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PROVIDERS } from '@castor/core/program';
import { call, createWorkspace, fakeModel, runCli, say, TEST_API_KEY } from '@castor/testkit';
import type { FakeModelOptions } from '@castor/testkit';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { variants } from '../house/variants.ts';

const SPY = `
const { appendFileSync } = require('node:fs');
const note = (line) => appendFileSync(process.env.EGRESS_LOG, line + '\\n');
const net = require('node:net');
const connect = net.Socket.prototype.connect;
net.Socket.prototype.connect = function (...args) {
  const [options] = Array.isArray(args[0]) ? args[0] : args;
  note('connect ' + (options.path ?? (options.host ?? 'localhost') + ':' + options.port));
  return connect.apply(this, args);
};
const dns = require('node:dns');
for (const api of [dns, dns.promises]) {
  const lookup = api.lookup;
  api.lookup = function (name, ...rest) {
    note('lookup ' + name);
    return lookup.call(this, name, ...rest);
  };
}
const dgram = require('node:dgram');
const send = dgram.Socket.prototype.send;
dgram.Socket.prototype.send = function (...args) {
  note('datagram');
  return send.apply(this, args);
};
const children = require('node:child_process');
const spawn = children.ChildProcess.prototype.spawn;
children.ChildProcess.prototype.spawn = function (options) {
  note('spawn ' + options.file);
  return spawn.call(this, options);
};
`;

interface Watched {
  options?: FakeModelOptions;
  /** Default the key and the address of the Gemini API. */
  env?: (url: string) => Record<string, string>;
  settings?: (url: string) => unknown;
}

async function runWatched(
  args: string[],
  script: Parameters<typeof fakeModel>[0],
  { options = {}, env, settings }: Watched = {},
) {
  await using model = await fakeModel(script, options);
  await using files = await createWorkspace({
    files: { 'a.txt': 'some text\n', '.git/HEAD': 'ref: refs/heads/main\n' },
    homeFiles: settings ? { '.gemini/settings.json': JSON.stringify(settings(model.url)) } : {},
  });
  const spy = join(files.root, 'spy.cjs');
  const log = join(files.root, 'egress.log');
  await Promise.all([writeFile(spy, SPY), writeFile(log, '')]);
  const watched = { NODE_OPTIONS: `--require=${spy}`, EGRESS_LOG: log };
  const { code } = await runCli(args, {
    ...(env ? {} : { model }),
    workspace: files,
    env: { ...env?.(model.url), ...watched },
  });
  const seen = (await readFile(log, 'utf8')).split('\n').filter((line) => line !== '');
  return { code, model: `connect ${new URL(model.url).host}`, seen: [...new Set(seen)] };
}

describe('a run with default settings', () => {
  it('contacts only the host of the model and starts no process', async () => {
    const { code, model, seen } = await runWatched(
      ['-p', 'what is in a.txt?'],
      [call('read_file', { file_path: 'a.txt' }), say('Some text.')],
    );
    expect({ code, seen }).toEqual({ code: 0, seen: [model] });
  });

  it('contacts no host at all with the offline model', async () => {
    const { code, seen } = await runWatched(['-m', 'offline', '-p', 'What is in this folder?'], []);
    expect({ code, seen }).toEqual({ code: 0, seen: [] });
  });
});

const READS = [call('read_file', { file_path: 'a.txt' }), say('Some text.')];

/** Each provider at its own variables, or at an address in the user's settings. */
const ADDRESSED: readonly [id: string, options: FakeModelOptions, env: (url: string) => Record<string, string>][] = [
  ['anthropic', { protocol: 'anthropic' }, (url) => ({ ANTHROPIC_API_KEY: TEST_API_KEY, ANTHROPIC_BASE_URL: url })],
  ['openai', { protocol: 'chat' }, (url) => ({ OPENAI_API_KEY: TEST_API_KEY, OPENAI_BASE_URL: url })],
  ['azure', { protocol: 'responses' }, (url) => ({ AZURE_OPENAI_API_KEY: TEST_API_KEY, AZURE_OPENAI_ENDPOINT: url })],
  ['ollama', { protocol: 'ollama' }, (url) => ({ OLLAMA_HOST: url })],
  ['lmstudio', { protocol: 'chat', key: null }, (url) => ({ LMSTUDIO_BASE_URL: url })],
  ['llamacpp', { protocol: 'chat', vendor: 'llamacpp', key: null }, (url) => ({ LLAMACPP_BASE_URL: `${url}/v1/` })],
  ['vllm', { protocol: 'chat', vendor: 'vllm', key: null }, (url) => ({ VLLM_BASE_URL: `${url}/v1` })],
  ['vertex', { protocol: 'gemini' }, (url) => ({ GOOGLE_API_KEY: TEST_API_KEY, GOOGLE_VERTEX_BASE_URL: url })],
];
const CONFIGURED: readonly [id: string, options: FakeModelOptions][] = [
  ['openrouter', { protocol: 'chat', vendor: 'openrouter' }],
  ['deepseek', { protocol: 'chat', vendor: 'deepseek' }],
  ['mistral', { protocol: 'chat', vendor: 'mistral' }],
  ['groq', { protocol: 'chat', vendor: 'groq' }],
  ['xai', { protocol: 'chat', vendor: 'xai' }],
  ...['together', 'fireworks', 'cerebras', 'moonshot', 'zai'].map((id): [string, FakeModelOptions] => [
    id,
    { protocol: 'chat' },
  ]),
];

describe('a run with another provider', () => {
  variants.each(ADDRESSED)('contacts only %s', async (id, options, env) => {
    const { model, ...run } = await runWatched(['-m', `${id}/m-1`, '-p', 'What is in a.txt?'], READS, { options, env });
    expect(run).toEqual({ code: 0, seen: [model] });
  });

  variants.each<[string, FakeModelOptions]>([
    ['vertex', { protocol: 'gemini', key: 'token-1' }],
    ['vertex-anthropic', { protocol: 'anthropic', key: 'token-1' }],
  ])('contacts only %s and the issuer of its tokens', async (id, options) => {
    const server = createServer((request, response) => {
      request.resume().once('end', () => response.end(JSON.stringify({ access_token: 'token-1', expires_in: 3_600 })));
    });
    await using _issuer = { [Symbol.asyncDispose]: async () => void server.close() };
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const issuer = `127.0.0.1:${(server.address() as AddressInfo).port}`;
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 });
    const account = {
      type: 'service_account',
      client_email: 'me@x.test',
      private_key: privateKey.export({ type: 'pkcs8', format: 'pem' }),
      token_uri: `http://${issuer}/token`,
    };
    await using folder = await createWorkspace({ files: { 'account.json': JSON.stringify(account) } });
    const { model, ...run } = await runWatched(['-m', `${id}/m-1`, '-p', 'What is in a.txt?'], READS, {
      options,
      env: (url) => ({
        GOOGLE_APPLICATION_CREDENTIALS: join(folder.project, 'account.json'),
        GOOGLE_CLOUD_PROJECT: 'p',
        GOOGLE_VERTEX_BASE_URL: url,
      }),
    });
    expect(run).toEqual({ code: 0, seen: [`connect ${issuer}`, model] });
  });

  it('covers every provider of the table', () => {
    const watched = new Set([...ADDRESSED, ...CONFIGURED].map(([id]) => id));
    expect(PROVIDERS.map(({ id }) => id).filter((id) => !watched.has(id))).toEqual(['gemini', 'vertex-anthropic']);
  });

  variants.each(CONFIGURED)('contacts only %s', async (id, options) => {
    const { model, ...run } = await runWatched(['-m', `${id}/m-1`, '-p', 'What is in a.txt?'], READS, {
      options,
      env: () => ({ [`${id.toUpperCase()}_API_KEY`]: TEST_API_KEY }),
      settings: (url) => ({ providers: { [id]: { baseUrl: `${url}/v1` } } }),
    });
    expect(run).toEqual({ code: 0, seen: [model] });
  });

  it(
    'contacts only a provider of the user, without a key where the server runs on this machine',
    { tags: 'wide' },
    async () => {
      const { model, ...run } = await runWatched(['-m', 'work/vendor/big:7b', '-p', 'hi'], [say('Hello.')], {
        options: { protocol: 'anthropic', key: null },
        env: () => ({}),
        settings: (url) => ({ providers: { work: { protocol: 'anthropic', baseUrl: `${url}/v1/messages` } } }),
      });
      expect(run).toEqual({ code: 0, seen: [model] });
    },
  );
});
