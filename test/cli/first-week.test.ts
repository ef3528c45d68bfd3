/** What a user of Gemini CLI meets on the first start: a login Castor does not support, features it does not use yet. */

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { answer, call, createWorkspace, fakeModel, runCli, say } from '@castor/testkit';
import { describe, expect, it } from 'vitest';
import { variants } from '../house/variants.ts';

const USES_KEY = 'oauth-personal is not available, using GEMINI_API_KEY';
const SIGNED_IN = { '.gemini/settings.json': '{"security":{"auth":{"selectedType":"oauth-personal"}}}' };

describe('a login with Google in the settings', () => {
  variants.each<[string, Record<string, string>, Record<string, string>]>([
    ['the environment', SIGNED_IN, { GEMINI_API_KEY: 'key-of-shell' }],
    ['~/.gemini/.env', { ...SIGNED_IN, '.gemini/.env': 'GEMINI_API_KEY=key-of-file\n' }, {}],
  ])('gives way to a key of %s, with one line', async (_, homeFiles, env) => {
    await using workspace = await createWorkspace({ homeFiles });
    await using model = await fakeModel(() => say('ok'));
    const options = { workspace, env: { GOOGLE_GEMINI_BASE_URL: model.url, ...env } };
    const { code, stdout, stderr } = await runCli(['-p', 'hi'], options);
    expect([code, stdout, stderr]).toEqual([0, 'ok\n', `castor: warning: ${USES_KEY}\n`]);
    const doctor = await runCli(['doctor', '--offline'], options);
    expect([doctor.code, doctor.stdout]).toEqual([0, expect.stringContaining(USES_KEY)]);
  });

  it('that is enforced ends with 41 and does not suggest the key that is set', async () => {
    const auth = { selectedType: 'oauth-personal', enforcedType: 'oauth-personal' };
    const homeFiles = { '.gemini/settings.json': JSON.stringify({ security: { auth } }) };
    await using workspace = await createWorkspace({ homeFiles });
    const { code, stderr } = await runCli(['-p', 'hi'], { workspace, env: { GEMINI_API_KEY: 'key' } });
    expect([code, stderr.includes('GEMINI_API_KEY=…')]).toEqual([41, false]);
    expect(stderr).toContain('security.auth.enforcedType demands "oauth-personal", which Castor does not support.');
  });

  it('without a key ends with 41 and names the variable that helps', async () => {
    await using workspace = await createWorkspace({ homeFiles: SIGNED_IN });
    const { code, stderr } = await runCli(['-p', 'hi'], { workspace });
    expect([code, stderr]).toEqual([41, expect.stringContaining('GEMINI_API_KEY=…')]);
    expect(stderr).toContain('"oauth-personal", which Castor does not support');
  });
});

describe('what the settings name and a run does not use yet', () => {
  const homeFiles = {
    '.gemini/settings.json': JSON.stringify({
      experimental: { taskTracker: true },
      ide: { hasSeenNudge: true },
      ui: { footer: { items: ['workspace', 'sandbox', 'quota'] } },
    }),
  };
  const LINE = 'not used yet: experimental.taskTracker, ui.footer.items (sandbox, quota)';

  variants.each([['text'], ['json'], ['stream-json']])('is one line on stderr in %s, and in doctor', async (format) => {
    await using workspace = await createWorkspace({ homeFiles });
    await using model = await fakeModel(() => say('ok'));
    const { code, stdout, stderr } = await runCli(['-p', 'hi', '-o', format], { workspace, model });
    expect([code, stderr]).toEqual([0, `castor: warning: ${LINE}\n`]);
    expect(stdout).not.toContain('not used yet');
    const doctor = await runCli(['doctor', '--offline'], { workspace, model });
    expect(doctor.stdout).toContain(`--  unused        ${LINE}`);
  });

  it("counts a project's own only where the folder is trusted", { tags: 'wide' }, async () => {
    const files = { '.gemini/extensions/three/gemini-extension.json': '{}' };
    await using workspace = await createWorkspace({ files });
    await using model = await fakeModel(() => say('ok'));
    const untrusted = await runCli(['-p', 'hi'], { workspace, model });
    const trusted = await runCli(['-p', 'hi', '--skip-trust'], { workspace, model });
    expect([untrusted.stderr.includes('not used yet'), trusted.stderr]).toEqual([
      false,
      expect.stringContaining('not used yet: extension three of this project\n'),
    ]);
  });
});

describe('excludeTools of an installed extension', () => {
  const manifest = (excludeTools: string[]) => JSON.stringify({ name: 'guard', version: '1.0.0', excludeTools });
  const FOLDER = '.gemini/extensions/guard';

  /** The tools offered, and what the model is told of `rm a.txt`, `echo hi` and a write. */
  async function runWith(homeFiles: Record<string, string>, args: string[] = []) {
    await using workspace = await createWorkspace({ files: { 'a.txt': 'one' }, homeFiles });
    await using model = await fakeModel([
      answer(
        call('run_shell_command', { command: 'echo hi' }),
        call('run_shell_command', { command: 'echo a && rm -f a.txt' }),
        call('write_file', { file_path: 'b.txt', content: 'x' }),
      ),
      say('ok'),
    ]);
    const { stderr } = await runCli(['-y', '-p', 'hi', ...args], { workspace, model });
    const tools = JSON.stringify(model.requests[0]?.body['tools']);
    return {
      isWriteOffered: tools.includes('"write_file"'),
      isShellOffered: tools.includes('"run_shell_command"'),
      isRemoved: !existsSync(join(workspace.project, 'a.txt')),
      isWritten: existsSync(join(workspace.project, 'b.txt')),
      hasEchoed: JSON.stringify(model.requests[1]?.body).includes('Output: hi'),
      stderr,
    };
  }

  const OPEN = { isWriteOffered: true, isShellOffered: true, isRemoved: true, isWritten: true, hasEchoed: true };

  it('hides whole tools and denies commands with the prefix, in yolo mode too', async () => {
    const homeFiles = { [`${FOLDER}/gemini-extension.json`]: manifest(['write_file', 'run_shell_command(rm)']) };
    expect(await runWith(homeFiles)).toMatchObject({
      ...OPEN,
      isWriteOffered: false,
      isRemoved: false,
      isWritten: false,
      stderr: expect.stringContaining('extension guard: excludeTools'),
    });
  });

  variants.each<[string, Record<string, string>, string[]]>([
    ['disabled', { '.gemini/extensions/extension-enablement.json': '{"guard":{"overrides":["!/*"]}}' }, []],
    ['left out with -e none', {}, ['-e', 'none']],
  ])('has no effect where the extension is %s', async (_, files, args) => {
    const homeFiles = { [`${FOLDER}/gemini-extension.json`]: manifest(['write_file', 'ShellTool(rm)']), ...files };
    const { stderr, ...rest } = await runWith(homeFiles, args);
    expect([rest, stderr]).toEqual([OPEN, expect.not.stringContaining('guard')]);
  });

  it('is enforced for a linked extension', { tags: 'wide' }, async () => {
    await using linked = await createWorkspace({ files: { 'gemini-extension.json': manifest(['ShellTool(rm)']) } });
    const installation = JSON.stringify({ type: 'link', source: linked.project });
    const found = await runWith({ [`${FOLDER}/.gemini-extension-install.json`]: installation });
    expect(found).toMatchObject({ ...OPEN, isRemoved: false });
  });

  it('that is unreadable is reported with its file', { tags: 'wide' }, async () => {
    const { stderr } = await runWith({ [`${FOLDER}/gemini-extension.json`]: '{"excludeTools": [' });
    expect(stderr).toMatch(/Skipping extension in .*: guard: .*gemini-extension\.json:1:/);
  });
});

describe('the beginning of a session id', () => {
  it('is enough to resume it', { tags: 'wide' }, async () => {
    await using workspace = await createWorkspace();
    await using model = await fakeModel(() => say('ok'));
    await runCli(['-p', 'first words', '--session-id', 'abcdef12-3456'], { workspace, model });
    const { code } = await runCli(['-r', 'abcdef12', '-p', 'more'], { workspace, model });
    expect([code, JSON.stringify(model.requests.at(-1)?.body)]).toEqual([0, expect.stringContaining('first words')]);
  });
});

describe('a setting that is null', () => {
  it('counts as not set, as does a group: tools.core keeps every tool', async () => {
    const homeFiles = { '.gemini/settings.json': '{"tools":{"core":null},"ui":null,"security":null}' };
    await using workspace = await createWorkspace({ homeFiles });
    await using model = await fakeModel(() => say('ok'));
    const { stderr } = await runCli(['-p', 'hi'], { workspace, model });
    expect([stderr, JSON.stringify(model.requests[0]?.body)]).toEqual(['', expect.stringContaining('"read_file"')]);
  });
});

describe('/stats', () => {
  it('writes counts and durations for users', async () => {
    await using workspace = await createWorkspace();
    await using model = await fakeModel(() => say('ok'));
    const { stdout } = await runCli(['-p', '/stats'], { workspace, model });
    expect(stdout).toMatch(/^Session {2}[\d.]+ s · 0 requests · \$0$/m);
    expect(stdout).toMatch(/^ {2}time {3}model 0\.0 s · tools 0\.0 s · you [\d.]+ s$/m);
  });
});
