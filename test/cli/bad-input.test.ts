/** Bad input from files and variables: one sentence says what, where and what to do, and nothing is lost. */

import { readFileSync } from 'node:fs';
import { mkdir, readdir, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createWorkspace, fakeModel, runCli, say } from '@castor/testkit';
import { describe, expect, it } from 'vitest';
import { variants } from '../house/variants.ts';

describe('bad input', () => {
  async function run(
    { homeFiles = {}, env = {} }: { homeFiles?: Record<string, string>; env?: Record<string, string> },
    words: readonly string[] = [],
  ) {
    await using workspace = await createWorkspace({ homeFiles });
    await using model = await fakeModel(() => say('ok'));
    const base = { GOOGLE_GEMINI_BASE_URL: model.url, GEMINI_API_KEY: 'key' };
    return await runCli(['-p', 'hi', ...words], { workspace, env: { ...base, ...env } });
  }

  variants.each(['http://[bad', 'socks5://127.0.0.1:1080'])(
    'the proxy %s ends with 52 and its sentence',
    async (proxy) => {
      const { code, stdout, stderr } = await run({ env: { HTTP_PROXY: proxy, NO_PROXY: '' } });
      expect([code, stdout]).toEqual([52, '']);
      expect(stderr).toMatch(/^castor: (?:The proxy URL in )?HTTPS_PROXY or HTTP_PROXY .*use http:\/\/.*\n$/);
    },
  );

  it('a proxy that the address does not use is not judged', async () => {
    const { code } = await run({ env: { HTTP_PROXY: 'http://[bad', NO_PROXY: '127.0.0.1,localhost' } });
    expect(code).toBe(0);
  });

  it('a custom header without a name is told once', { tags: 'wide' }, async () => {
    const { code, stderr } = await run({ env: { GEMINI_CLI_CUSTOM_HEADERS: 'bad' } });
    expect([code, stderr.match(/GEMINI_CLI_CUSTOM_HEADERS/g)]).toEqual([0, ['GEMINI_CLI_CUSTOM_HEADERS']]);
    expect((await run({ env: { GEMINI_CLI_CUSTOM_HEADERS: 'X-One: a, b, X-Two: c' } })).stderr).toBe('');
  });

  it('unknown settings are told in one line with the nearest name', async () => {
    const settings = '{\n  "ui": { "thene": "x" },\n  "nonsense": 1\n}';
    const { code, stderr } = await run({ homeFiles: { '.gemini/settings.json': settings } });
    expect(code).toBe(0);
    expect(stderr).toMatch(
      /^castor: warning: unknown settings without effect: ui\.thene \(.*settings\.json:2; did you mean ui\.theme\?\), nonsense \(.*:3\)\n$/,
    );
  });

  it("an event of another agent's hooks is told once, with ours", async () => {
    const settings = '{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"true"}]}]}}';
    const { code, stderr } = await run({ homeFiles: { '.gemini/settings.json': settings } });
    expect([code, stderr.match(/hooks\.Stop/g)?.length, stderr.includes('AfterAgent')]).toEqual([0, 1, true]);
  });

  it('unknown tools in rules and flags are told in one line', async () => {
    const homeFiles = {
      '.gemini/policies/mine.toml': '[[rule]]\ntoolName = "read_fil"\ndecision = "allow"\npriority = 1\n',
    };
    const { code, stderr } = await run({ homeFiles }, ['--allowed-tools', 'run_shel_command,mcp_x_y,read_file']);
    expect(code).toBe(0);
    expect(stderr.match(/unknown tools/g)).toHaveLength(1);
    expect(stderr).toContain('run_shel_command (settings: tools.allowed; did you mean run_shell_command?)');
    expect(stderr).toMatch(/read_fil \(.*mine\.toml:\d+; did you mean read_file\?\)/);
    expect(stderr).not.toContain('mcp_x_y');
  });

  it('a session file of garbage is named by the list and stays', { tags: 'wide' }, async () => {
    await using workspace = await createWorkspace();
    await using model = await fakeModel(() => say('ok'));
    const env = { GOOGLE_GEMINI_BASE_URL: model.url, GEMINI_API_KEY: 'key' };
    await runCli(['-p', 'hi'], { workspace, env });
    const [project = ''] = await readdir(join(workspace.home, '.gemini/tmp'));
    const file = join(workspace.home, '.gemini/tmp', project, 'chats', 'session-2026-01-01T00-00-abcdef12.jsonl');
    await writeFile(file, 'garbage\n\0\u0001more\n');
    for (const words of [['sessions', 'list'], ['--list-sessions']]) {
      const { code, stdout, stderr } = await runCli(words, { workspace, env });
      expect([code, stdout.includes('(1)')]).toEqual([0, true]);
      expect(stderr).toContain(`${file} contains no readable session.`);
    }
    expect(readFileSync(file, 'utf8')).toContain('garbage');
  });

  variants.each(['a file', 'a folder with a file'])(
    'a stale lock that is %s does not keep a project out',
    async (kind) => {
      await using workspace = await createWorkspace();
      await using model = await fakeModel(() => say('ok'));
      const lock = join(workspace.home, '.gemini/projects.json.lock');
      await mkdir(kind === 'a file' ? join(workspace.home, '.gemini') : lock, { recursive: true });
      await writeFile(kind === 'a file' ? lock : join(lock, 'owner'), 'x');
      await utimes(lock, 1, 1);
      const env = { GOOGLE_GEMINI_BASE_URL: model.url, GEMINI_API_KEY: 'key' };
      const { code } = await runCli(['-p', 'hi'], { workspace, env });
      expect(code).toBe(0);
      const registry = readFileSync(join(workspace.home, '.gemini/projects.json'), 'utf8');
      expect(Object.keys((JSON.parse(registry) as { projects: object }).projects)).toHaveLength(1);
    },
  );
});
