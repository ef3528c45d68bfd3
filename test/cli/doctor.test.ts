import { readdir } from 'node:fs/promises';
import { createWorkspace, fakeModel, refusedUrl, runCli } from '@castor/testkit';
import type { CliOptions } from '@castor/testkit';
import { describe, expect, it } from 'vitest';

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

describe('castor doctor', () => {
  it('finds nothing wrong where everything works, and speaks to the model only to see that it is there', async () => {
    await using workspace = await createWorkspace();
    await using model = await fakeModel([]);
    const { ok, code, find } = await examine({ model, workspace });
    expect([ok, code, model.requests.length]).toEqual([true, 0, 0]);
    expect(find('model')).toEqual({ topic: 'model', status: 'ok', says: 'auto; GEMINI_API_KEY is set' });
    expect(find('address')).toEqual({ topic: 'address', status: 'ok', says: `${model.url} takes connections` });
    expect(find('ripgrep')?.status).toBe('ok');
    expect([await readdir(workspace.home), await readdir(workspace.project)]).toEqual([[], []]);
  });

  it('says how to go on without a key', async () => {
    const { code, find } = await examine({});
    expect([code, find('model')]).toMatchObject([1, { status: 'problem' }]);
    expect(find('model')?.says).toContain('GEMINI_API_KEY=…');
    expect(find('address')).toBeUndefined();
  });

  it('names an address nobody answers at', async () => {
    const url = await refusedUrl();
    const { code, find } = await examine({ env: { GEMINI_API_KEY: 'k', GOOGLE_GEMINI_BASE_URL: url } });
    expect([code, find('address')]).toMatchObject([
      1,
      { status: 'problem', says: `${url} cannot be reached: ECONNREFUSED` },
    ]);
    expect((await examine({ env: { GEMINI_API_KEY: 'k', GOOGLE_GEMINI_BASE_URL: url } }, '--offline')).code).toBe(0);
  });

  it.each<[string, Record<string, string>, string, string]>([
    ['settings that are no JSON', { '.gemini/settings.json': '{"a": ' }, 'settings', 'settings.json'],
    ['a setting of the wrong type', { '.gemini/settings.json': '{"model":{"name":7}}' }, 'settings', 'model.name'],
    [
      'a policy that is not in force',
      { '.gemini/policies/a.toml': '[[rule]]\ndecision = "x"\n' },
      'policies',
      'a.toml',
    ],
    ['a trust file that cannot be meant', { '.gemini/trustedFolders.json': '{"/": "MAYBE"}' }, 'settings', 'MAYBE'],
  ])('names %s', async (_, homeFiles, topic, words) => {
    await using workspace = await createWorkspace({ homeFiles });
    const { code, checks } = await examine({ workspace }, '--offline');
    const found = checks.filter((check) => check.topic === topic && check.status === 'problem');
    expect([code, found.map(({ says }) => says).join('\n')]).toEqual([1, expect.stringContaining(words)]);
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

  it('refuses an option there is none of', async () => {
    expect(await runCli(['doctor', '--fast'])).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining('--fast is not an option of castor doctor.') as string,
    });
    expect((await runCli(['doctor', '--help'])).stdout).toContain('Usage: castor doctor');
  });
});
