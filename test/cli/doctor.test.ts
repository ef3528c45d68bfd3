import { readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { createWorkspace, fakeModel, refusedUrl, runCli } from '@castor/testkit';
import type { CliOptions } from '@castor/testkit';
import { describe, expect, it } from 'vitest';
import {
  BUBBLEWRAP_FAILURES,
  failingWith,
  plantBubblewrap,
} from '../../packages/core/src/sandbox/bubblewrap-failures.fixture.ts';
import { variants } from '../house/variants.ts';

interface Check {
  topic: string;
  status: string;
  says: string;
}

async function examine(options: CliOptions, ...args: string[]) {
  const { stdout, code } = await runCli(['doctor', '--json', ...args], options);
  const { ok, checks } = JSON.parse(stdout) as { ok: boolean; checks: Check[] };
  const find = (topic: string) => checks.find((check) => check.topic === topic);
  return { ok, code, checks, find };
}

describe.skipIf(process.platform !== 'linux')('castor doctor, where bubblewrap does not work', () => {
  // Every failure with its sentence: packages/core/src/sandbox.
  variants.each(BUBBLEWRAP_FAILURES.slice(0, 1))('says exactly why: %s', async (_, stderr, sentence) => {
    await using workspace = await createWorkspace();
    const stub = plantBubblewrap(join(workspace.home, 'bin'), failingWith(stderr));
    const PATH = `${stub}:${process.env['PATH']}`;
    const key = { GEMINI_API_KEY: 'test-key' };
    const unasked = await examine({ workspace, env: { ...key, PATH } }, '--offline');
    const says = `no sandbox for commands: ${sentence}`;
    expect([unasked.code, unasked.find('bwrap')]).toEqual([0, { topic: 'bwrap', status: 'missing', says }]);
    const asked = await examine({ workspace, env: { ...key, PATH, GEMINI_SANDBOX: 'true' } }, '--offline');
    expect([asked.code, asked.find('bwrap')]).toEqual([
      1,
      {
        ...{ topic: 'bwrap', status: 'problem', says },
        fix: 'Castor does not start until this is fixed. To run without a sandbox: --no-sandbox.',
      },
    ]);
  });
});

it(
  'castor doctor looks for the engine of a container that is asked for, and starts none',
  { tags: 'wide' },
  async () => {
    await using workspace = await createWorkspace({
      homeFiles: { 'bin/podman': '#!/bin/sh\ntouch "$HOME/started"\n' },
    });
    const env = { GEMINI_API_KEY: 'test-key', GEMINI_SANDBOX: 'podman', PATH: join(workspace.home, 'bin') };
    const { find } = await examine({ workspace, env }, '--offline');
    const says = `the whole program runs in a container: ${join(workspace.home, 'bin/podman')}`;
    expect(find('sandbox')).toEqual({ topic: 'sandbox', status: 'ok', says });
    const missing = await examine({ workspace, env: { ...env, GEMINI_SANDBOX: 'runsc' } }, '--offline');
    expect([missing.code, missing.find('sandbox')]).toMatchObject([1, { says: 'docker is not on the PATH' }]);
    expect(await readdir(workspace.home)).not.toContain('started');
  },
);

describe('castor doctor', () => {
  it('finds nothing wrong where everything works, and speaks to the model only to see that it is there', async () => {
    await using workspace = await createWorkspace();
    await using model = await fakeModel([]);
    const { ok, code, find } = await examine({ model, workspace });
    expect([ok, code, model.requests.length]).toEqual([true, 0, 0]);
    expect(find('model')).toEqual({ topic: 'model', status: 'ok', says: 'auto; GEMINI_API_KEY is set' });
    expect(find('address')).toEqual({ topic: 'address', status: 'ok', says: `${model.url} accepts connections` });
    expect(find('ripgrep')?.status).toBe('ok');
    expect([await readdir(workspace.home), await readdir(workspace.project)]).toEqual([[], []]);
  });

  it('says which programs run after an edit, and which are missing', { tags: 'wide' }, async () => {
    const program = (command: string) => ({ command, extensions: ['.x'] });
    const diagnostics = {
      servers: { own: program(process.execPath), gone: program('no-such-server') },
      formatters: { tidy: program(process.execPath), lost: program('no-such-formatter') },
    };
    const settings = JSON.stringify({ castor: { diagnostics } });
    await using workspace = await createWorkspace({ homeFiles: { '.gemini/settings.json': settings } });
    const binary = await workspace.write('bin/typescript-language-server', '#!/bin/sh\n');
    const PATH = `${dirname(binary)}:${process.env['PATH']}`;
    const { checks, find } = await examine({ workspace, env: { PATH } }, '--offline');
    expect(find('language servers')?.says).toContain('edits are checked with own');
    expect(find('language servers')?.says).toMatch(
      /slow to start: typescript-language-server.*; to use it: castor config/,
    );
    expect(find('formatters')).toMatchObject({ status: 'ok', says: 'tidy' });
    expect(checks.filter(({ topic }) => ['language server', 'formatter'].includes(topic))).toMatchObject([
      { status: 'problem', says: expect.stringContaining('gone: "no-such-server" is not on the PATH') },
      { status: 'problem', says: expect.stringContaining('lost: "no-such-formatter" is not on the PATH') },
    ]);
  });

  it('says how to go on without a key', async () => {
    const { code, find } = await examine({});
    expect([code, find('model')]).toMatchObject([1, { status: 'problem' }]);
    expect(find('model')?.says).toContain('GEMINI_API_KEY=…');
    expect(find('address')).toBeUndefined();
  });

  it('checks the provider of the chosen model, and sends it nothing', async () => {
    await using model = await fakeModel([], { protocol: 'anthropic' });
    const env = {
      CASTOR_MODEL: 'anthropic/claude-x',
      ANTHROPIC_API_KEY: 'k-0123456789',
      ANTHROPIC_BASE_URL: model.url,
    };
    const { code, find } = await examine({ env });
    expect([code, model.requests.length]).toEqual([0, 0]);
    expect(find('model')?.says).toBe('anthropic/claude-x, of Anthropic; ANTHROPIC_API_KEY is set');
    expect(find('address')?.says).toBe(`${model.url} accepts connections`);
    expect(find('providers')?.says).toContain('anthropic (ANTHROPIC_BASE_URL)');
  });

  it('names a missing key of a provider, and settings of a provider that do not work', async () => {
    const settings = {
      castor: { model: 'groq/x' },
      providers: {
        work: { protocol: 'chat' },
        openai: { apiKey: 'x' },
        gemini: {},
        anthropic: { baseURL: 'http://127.0.0.1' },
        mistral: { quirks: { streamOption: false } },
        deepseek: { models: { m: { contextwindow: 9_000 } } },
        openrouter: { models: { m: { price: { input: 1 } } } },
      },
    };
    await using workspace = await createWorkspace({ homeFiles: { '.gemini/settings.json': JSON.stringify(settings) } });
    const { code, checks, find } = await examine({ workspace }, '--offline');
    expect(code).toBe(1);
    expect(find('model')).toMatchObject({ status: 'problem' });
    expect(find('model')?.says).toContain('GROQ_API_KEY is not set');
    const said = checks.filter(({ topic }) => topic === 'providers').map(({ says }) => says);
    expect(said.join('\n')).toContain('providers.gemini has no effect');
    expect(said.join('\n')).toContain('the provider work has no address');
    expect(said.join('\n')).toContain('providers.openai.apiKey is unknown');
    expect(said.join('\n')).toMatch(/providers\.anthropic\.baseURL is unknown.*Did you mean baseUrl\?/);
    expect(said.join('\n')).toMatch(
      /providers\.mistral\.quirks\.streamOption is unknown.*Did you mean streamOptions\?/,
    );
    expect(said.join('\n')).toMatch(
      /providers\.deepseek\.models\.m\.contextwindow is unknown.*Did you mean contextWindow\?/,
    );
    expect(said.join('\n')).toContain('providers.openrouter.models.m.price needs both input and output');
  });

  it('counts the hooks a session would know', { tags: 'wide' }, async () => {
    const hook = { type: 'command', command: 'true' };
    const hooks = { BeforeTool: [{ hooks: [hook, { ...hook, name: 'b' }] }], SessionEnd: [{ hooks: [hook] }] };
    await using workspace = await createWorkspace({
      homeFiles: { '.gemini/settings.json': JSON.stringify({ hooks }) },
    });
    const { find } = await examine({ workspace }, '--offline');
    expect(find('hooks')?.says).toBe('3 hooks; castor hooks list shows them');
  });

  it('names an address that does not answer', { tags: 'wide' }, async () => {
    const url = await refusedUrl();
    const { code, find } = await examine({ env: { GEMINI_API_KEY: 'k', GOOGLE_GEMINI_BASE_URL: url } });
    expect([code, find('address')]).toMatchObject([
      1,
      { status: 'problem', says: `${url} is unreachable: ECONNREFUSED` },
    ]);
    expect((await examine({ env: { GEMINI_API_KEY: 'k', GOOGLE_GEMINI_BASE_URL: url } }, '--offline')).code).toBe(0);
  });

  variants.each<[string, Record<string, string>, string, string]>([
    ['settings that are no JSON', { '.gemini/settings.json': '{"a": ' }, 'settings', 'settings.json'],
    ['a setting of the wrong type', { '.gemini/settings.json': '{"model":{"name":7}}' }, 'settings', 'model.name'],
    ['a trust file that cannot be meant', { '.gemini/trustedFolders.json': '{"/": "MAYBE"}' }, 'settings', 'MAYBE'],
  ])('names %s', async (_, homeFiles, topic, words) => {
    await using workspace = await createWorkspace({ homeFiles });
    const { code, checks } = await examine({ workspace }, '--offline');
    const found = checks.filter((check) => check.topic === topic && check.status === 'problem');
    expect([code, found.map(({ says }) => says).join('\n')]).toEqual([1, expect.stringContaining(words)]);
  });

  // One folder for all of them: none hides another.
  let faults: ReturnType<typeof examineFaults> | undefined;
  const examineFaults = async () => {
    const settings = { context: { includeDirectories: ['~/none'] }, tools: { sandbox: 'qemu' } };
    await using workspace = await createWorkspace({
      homeFiles: {
        '.gemini/settings.json': JSON.stringify(settings),
        '.gemini/policies/a.toml': '[[rule]]\ndecision = "x"\n',
        '.gemini/commands/a.toml': 'prompt = ',
        '.gemini/prices.json': 'dear',
      },
    });
    return await examine({ workspace }, '--offline');
  };

  variants.each([
    ['a policy that is not in force', 'policies', 'a.toml'],
    ['a command that cannot be used', 'commands', 'a.toml: line 1'],
    ['prices that are no JSON', 'prices', 'prices.json is not valid JSON'],
    ['a folder that is not there', 'folders', 'home/none was skipped'],
    ['a sandbox there is none of', 'sandbox', '--no-sandbox'],
  ])('names %s beside other faults', async (_, topic, words) => {
    const { code, checks } = await (faults ??= examineFaults());
    const found = checks.filter((check) => check.topic === topic && check.status === 'problem');
    expect([code, found.map(({ says }) => says).join('\n')]).toEqual([1, expect.stringContaining(words)]);
  });

  it('names a system prompt that is not there, and the one that is', { tags: 'wide' }, async () => {
    await using workspace = await createWorkspace({ homeFiles: { 'own.md': 'Be brief.' } });
    const ask = async (file: string) =>
      (await examine({ workspace, env: { GEMINI_SYSTEM_MD: file } }, '--offline')).find('prompt');
    expect(await ask('~/none.md')).toMatchObject({ status: 'problem', says: expect.stringContaining('none.md') });
    expect(await ask('~/own.md')).toMatchObject({ status: 'ok', says: expect.stringContaining('own.md (9 bytes)') });
  });

  it('names unknown settings, with the nearest there are, and takes them for no fault', async () => {
    await using workspace = await createWorkspace({
      homeFiles: {
        '.gemini/settings.json': '{"$schema":"x","model":{\n"maxSessionTurn":4},"theme":"x","mine":{"a":1}}',
      },
    });
    await using model = await fakeModel([]);
    const { code, checks } = await examine({ workspace, model });
    const [found] = checks.filter(({ says }) => says.includes('Unknown settings'));
    const file = join(workspace.home, '.gemini/settings.json');
    expect([code, found?.status, found?.says.split('\n').slice(1)]).toEqual([
      0,
      'missing',
      [
        `${file}:2: model.maxSessionTurn; did you mean model.maxSessionTurns?`,
        `${file}:2: theme; did you mean ui.theme?`,
        `${file}:2: mine`,
      ],
    ]);
  });

  it('says where things come from, and shows no secret', async () => {
    await using workspace = await createWorkspace({
      files: { '.env': 'GEMINI_API_KEY=from-project\nNODE_OPTIONS=--inspect\n' },
      homeFiles: {
        '.gemini/settings.json': '{"mcpServers":{"files":{"command":"x"}},"model":{"name":"flash"}}',
        '.gemini/GEMINI.md': 'Be brief.',
      },
    });
    const { stdout } = await runCli(['doctor', '--offline'], { workspace });
    for (const words of [
      'settings.json (user)',
      '.env: GEMINI_API_KEY',
      'not NODE_OPTIONS',
      'flash',
      'files',
      'GEMINI.md',
    ]) {
      expect(stdout).toContain(words);
    }
    expect(stdout).not.toContain('from-project');
  });

  it('refuses an option there is none of', { tags: 'wide' }, async () => {
    expect(await runCli(['doctor', '--fast'])).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining('--fast is an unknown option of castor doctor.') as string,
    });
    expect((await runCli(['doctor', '--help'])).stdout).toContain('Usage: castor doctor');
  });
});
