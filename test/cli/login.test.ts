/** Keys that Castor stores: where, for which address, and that nothing ever shows them. */

import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createWorkspace, fakeModel, runCli, say, startTerminal } from '@castor/testkit';
import type { Workspace } from '@castor/testkit';
import { describe, expect, it } from 'vitest';
import { variants } from '../house/variants.ts';

const KEY = 'test-key-0123456789';
const MODELS = [{ id: 'claude-x' }, { id: 'claude-y' }];
/** No keyring, on any system. */
const NO_KEYRING = { GEMINI_FORCE_FILE_STORAGE: 'true' };

async function setUp() {
  const model = await fakeModel([say('Hello.')], { protocol: 'anthropic', key: KEY, models: MODELS });
  const workspace = await createWorkspace({});
  const env = { ANTHROPIC_BASE_URL: model.url, ...NO_KEYRING };
  const castor = (args: string[], stdin?: string, more: Record<string, string> = {}) =>
    runCli(args, { workspace, env: { ...env, ...more }, ...(stdin !== undefined && { stdin }) });
  return {
    model,
    workspace,
    env,
    castor,
    async [Symbol.asyncDispose]() {
      await Promise.all([model.close(), workspace.dispose()]);
    },
  };
}

const fileOf = ({ home }: Workspace) => join(home, '.gemini', 'castor-keys.json');

describe('castor login <provider>', () => {
  it('proves a piped key with one request, stores it for its owner only, and uses it', async () => {
    await using at = await setUp();
    const { stdout, stderr, code } = await at.castor(['login', 'anthropic', '--plain-file'], `${KEY}\n`);
    expect({ stderr, code }).toEqual({ stderr: '', code: 0 });
    expect(stdout).toContain('Anthropic accepts the key and offers 2 models.');
    expect(stdout).toContain('castor --model anthropic/claude-opus-5');
    expect(at.model.requests.map(({ method, path }) => `${method} ${path}`)).toEqual(['GET /v1/models?limit=1000']);
    expect((await stat(fileOf(at.workspace))).mode & 0o777).toBe(0o600);

    const run = await at.castor(['-m', 'anthropic/claude-x', '-p', 'hi']);
    expect(run).toMatchObject({ stdout: 'Hello.\n', stderr: '', code: 0 });
    expect(at.model.requests.at(-1)?.headers['x-api-key']).toBe(KEY);

    const list = await at.castor(['login', '--list']);
    expect(list.stdout).toMatch(/^anthropic +plain text file +\d{4}-\d\d-\d\d +http:\/\/127\.0\.0\.1:\d+\n$/);
    const all = [stdout, list.stdout, list.stderr];
    expect(all.join('')).not.toContain(KEY);

    expect(await at.castor(['logout', 'anthropic'])).toMatchObject({
      stdout: 'The stored key of Anthropic is deleted.\n',
      code: 0,
    });
    expect(await readFile(fileOf(at.workspace), 'utf8')).not.toContain(KEY);
    expect(await at.castor(['logout', 'anthropic'])).toMatchObject({ stdout: 'No key of Anthropic is stored.\n' });
  });

  variants.each<[string, string[], string, number, string]>([
    ['a rejected key', ['login', 'anthropic', '--plain-file'], 'wrong-key-0123456789', 41, 'Anthropic rejects the key'],
    ['no consent to a file', ['login', 'anthropic'], KEY, 1, '--plain-file'],
    ['an empty key', ['login', 'anthropic', '--plain-file'], ' \n', 42, 'the key is empty'],
    ['two words', ['login', 'anthropic', '--plain-file'], 'two words', 42, 'invalid key'],
    ['an unknown provider', ['login', 'antropic'], KEY, 42, 'Did you mean anthropic?'],
    ['no provider', ['login'], KEY, 1, 'Usage: castor login'],
    ['a provider with Google credentials', ['login', 'vertex'], KEY, 1, 'gcloud auth application-default login'],
  ])('stores nothing for %s', async (_, args, stdin, code, words) => {
    await using at = await setUp();
    const result = await at.castor(args, stdin);
    expect(result).toMatchObject({ stdout: '', code });
    expect(result.stderr).toContain(words);
    expect(result.stderr).not.toContain(stdin.trim() || '\0');
    await expect(stat(fileOf(at.workspace))).rejects.toThrow('ENOENT');
  });

  it('says that a variable precedes the stored key', async () => {
    await using at = await setUp();
    const { stdout } = await at.castor(['login', 'anthropic', '--plain-file'], KEY, { ANTHROPIC_API_KEY: 'other-key' });
    expect(stdout).toContain('ANTHROPIC_API_KEY is set in your environment and precedes it.');
  });

  it('keeps a Gemini key where Gemini CLI reads it', async () => {
    await using gemini = await fakeModel([], { key: KEY, models: [{ name: 'models/gemini-x' }] });
    await using workspace = await createWorkspace({});
    const env = { GOOGLE_GEMINI_BASE_URL: gemini.url, ...NO_KEYRING };
    const { stdout, code } = await runCli(['login', 'gemini', '--plain-file'], { workspace, env, stdin: KEY });
    expect({ stdout, code }).toMatchObject({ code: 0 });
    expect(stdout).toContain('Gemini API accepts the key');
    expect(await readFile(join(workspace.home, '.gemini', '.env'), 'utf8')).toBe(`GEMINI_API_KEY="${KEY}"\n`);
  });

  it('never sends a stored key to another address', async () => {
    await using at = await setUp();
    await at.castor(['login', 'anthropic', '--plain-file'], KEY);
    await using other = await fakeModel([], { protocol: 'anthropic' });
    const { code } = await at.castor(['-m', 'anthropic/x', '-p', 'hi'], undefined, { ANTHROPIC_BASE_URL: other.url });
    expect(code).toBe(41);
    expect(other.requests.map(({ headers }) => headers['x-api-key'])).toEqual([undefined]);
  });

  it('refuses a file that others may read', { tags: 'wide' }, async () => {
    await using at = await setUp();
    await at.castor(['login', 'anthropic', '--plain-file'], KEY);
    await writeFile(join(at.workspace.home, 'x'), '');
    const { chmod } = await import('node:fs/promises');
    await chmod(fileOf(at.workspace), 0o644);
    const { stderr, code } = await at.castor(['-m', 'anthropic/claude-x', '-p', 'hi']);
    expect(code).toBe(41);
    expect(stderr).toContain('chmod 600');
  });

  it('reads the key from a terminal without an echo and asks before it writes plain text', async () => {
    await using at = await setUp();
    await using terminal = await startTerminal(['login', 'anthropic'], { workspace: at.workspace, env: at.env });
    await terminal.waitForText('not shown');
    terminal.type(`${KEY}\r`);
    await terminal.waitForText('[y/N]');
    terminal.type('y\r');
    const { code } = await terminal.done;
    expect(code).toBe(0);
    expect(terminal.bytes).not.toContain(KEY);
    expect(terminal.bytes).toContain('It is stored in');
    expect(JSON.parse(await readFile(fileOf(at.workspace), 'utf8'))).toMatchObject({
      keys: { anthropic: { place: 'file', key: KEY } },
    });
  });
});
