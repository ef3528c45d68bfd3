import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { answer, call, createWorkspace, fakeModel, mcpStdioCommand, runCli, say } from '@castor/testkit';
import { describe, expect, it } from 'vitest';

const HOOK = { type: 'command', command: 'echo "$TOKEN ${extensionPath}" > "$GEMINI_PROJECT_DIR/hooked"' };

describe('castor extensions', () => {
  it(
    'with folders of plans: one that is outside is named, and so is the extension whose folder is not used',
    { tags: 'wide' },
    async () => {
      const manifest = (name: string, directory: string) =>
        JSON.stringify({ name, version: '1.0.0', plan: { directory } });
      await using workspace = await createWorkspace({
        homeFiles: {
          '.gemini/extensions/one/gemini-extension.json': manifest('one', '../out'),
          '.gemini/extensions/two/gemini-extension.json': manifest('two', 'plans'),
        },
      });
      await using model = await fakeModel([say('ok')]);
      await runCli(['extensions', 'consent', 'one', 'two', '--consent'], { workspace });
      const { code, stderr } = await runCli(['-p', 'hi'], { workspace, model });
      expect([code, stderr]).toEqual([
        0,
        expect.stringMatching(
          /stored in \.\.\/out, as the extension one says; the folder of two is not used\..*plan\.directory of the extension one must be/s,
        ),
      ]);
    },
  );

  it('installs with consent only; then its server, hook, context, command and values are part of a run', async () => {
    await using server = await mcpStdioCommand({ tools: [{ name: 'echo' }] });
    const manifest = {
      name: 'cloud',
      version: '1.0.0',
      mcpServers: { near: server.entry },
      settings: [
        { name: 'Token', envVar: 'TOKEN', sensitive: true },
        { name: 'Region', envVar: 'REGION' },
      ],
    };
    const skill = 'Run ${extensionPath}${/}bin in ${REGION}, never ${TOKEN}.';
    await using workspace = await createWorkspace({
      homeFiles: { '.gemini/skills/own/SKILL.md': '---\nname: own\ndescription: Helps.\n---\nHelp.\n' },
      files: {
        'ext/gemini-extension.json': JSON.stringify(manifest),
        'ext/GEMINI.md': 'Deploy on Mondays.',
        'ext/hooks/hooks.json': JSON.stringify({ hooks: { SessionStart: [{ hooks: [HOOK] }] } }),
        'ext/commands/deploy.toml': 'prompt = "Deploy it now."',
        'ext/skills/roll/SKILL.md': `---\nname: roll\ndescription: Rolls out.\n---\n${skill}\n`,
      },
    });
    const activate = answer(call('activate_skill', { name: 'roll' }, { id: 'a' }));
    await using model = await fakeModel(({ body }) => {
      const { text } = body.contents.at(-1).parts.at(-1) as { text?: string };
      return text === 'Deploy it now.' ? activate : say('ok');
    });
    const env = { GEMINI_FORCE_FILE_STORAGE: 'true' };
    const castor = (...args: string[]) => runCli(args, { workspace, model, env });

    const refused = await castor('extensions', 'install', './ext');
    expect(refused).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(/SessionStart: echo.*pass --consent\.\n$/s),
    });
    expect(existsSync(join(workspace.home, '.gemini/extensions'))).toBe(false);
    const installed = await castor('extension', 'install', './ext', '--consent');
    expect(installed).toMatchObject({ code: 0, stdout: 'Extension "cloud" installed successfully and enabled.\n' });
    expect(installed.stderr).toContain('You have consented to the following:\nInstalling extension "cloud".');
    const configured = await runCli(['extensions', 'config', 'cloud'], {
      workspace,
      model,
      env,
      stdin: 's3cret\neu\n',
    });
    expect([configured.code, configured.stderr]).toEqual([0, expect.stringContaining('Setting "Token" updated.')]);

    const ran = await castor('-y', '-p', '/deploy');
    expect([ran.code, ran.stdout]).toEqual([0, 'ok\n']);
    const sent = JSON.stringify(model.requests[0]?.body);
    expect(['Deploy it now.', 'Deploy on Mondays.', 'mcp_near_echo'].filter((words) => !sent.includes(words))).toEqual(
      [],
    );
    const folder = join(workspace.home, '.gemini/extensions/cloud');
    expect(JSON.stringify(model.requests[1]?.body)).toContain(`Run ${join(folder, 'bin')} in eu, never \${TOKEN}.`);
    expect(await workspace.read('hooked')).toBe(`s3cret ${folder}\n`);
    expect(server.readRecord().of('started')[0]?.env['TOKEN']).toBe('s3cret');

    expect((await castor('mcp', 'test', 'near')).code).toBe(0);
    expect(server.readRecord().of('started').at(-1)?.env['TOKEN']).toBe('s3cret');

    const listed = await castor('extensions', 'list');
    const json = await castor('extensions', 'list', '-o', 'json');
    expect(listed.stdout).toContain('✓ cloud (1.0.0)\n');
    expect(`${listed.stdout}${json.stdout}${json.stderr}`).not.toContain('s3cret');
    expect(JSON.parse(json.stdout)).toMatchObject([
      { name: 'cloud', isActive: true, settings: [{ shown: '***' }, { shown: 'eu' }] },
    ]);
    expect((await castor('-l')).stdout).toBe('Installed extensions:\n- cloud\n');

    writeFileSync(join(folder, 'GEMINI.md'), 'Deploy at once.');
    const changed = await castor('-p', 'hi');
    expect(changed.stderr).toContain('the extension cloud is not loaded; its files changed since you consented.');
    expect(changed.stderr).toContain(
      'The model has no skills in this run, since activating one needs an approval: own. To allow them in this run: --allowed-tools activate_skill',
    );
    expect(ran.stderr).not.toContain('no skills');
    expect(JSON.stringify(model.requests.at(-1)?.body)).not.toContain('Deploy at once.');
    expect((await castor('doctor', '--offline')).stdout).toMatch(/!! {2}extensions.*cloud is not loaded/);
  });

  it('enables, disables, uninstalls and refuses with the texts and exit codes of Gemini CLI', async () => {
    const files = { 'ext/gemini-extension.json': '{"name":"cloud","version":"1"}' };
    await using workspace = await createWorkspace({ files });
    const castor = async (...args: string[]) => {
      const { code, stdout, stderr } = await runCli(args, { workspace });
      return [code, (stdout || stderr).trim().split('\n').at(-1)];
    };
    expect(await castor('-e', 'nowhere', '-p', 'hi')).toEqual([
      1,
      expect.stringContaining('Extension not found: nowhere'),
    ]);
    expect(await castor('extensions', 'list')).toEqual([0, 'No extensions installed.']);
    expect(await castor('extensions', 'link', 'ext', '--consent')).toEqual([
      0,
      'Extension "cloud" linked successfully and enabled.',
    ]);
    expect(await castor('extensions', 'disable', 'cloud', '--scope', 'Workspace')).toEqual([
      0,
      'Extension "cloud" successfully disabled for scope "workspace".',
    ]);
    expect((await castor('extensions', 'enable', 'nope'))[0]).toBe(52);
    expect(await castor('extensions', 'disable', 'nope')).toEqual([
      1,
      'castor: Extension with name nope does not exist.',
    ]);
    expect(await castor('extensions', 'enable', 'CLOUD')).toEqual([
      0,
      'Extension "cloud" successfully enabled in all scopes.',
    ]);
    expect(await castor('extensions', 'uninstall', 'nope', 'cloud')).toEqual([
      1,
      'Extension "cloud" successfully uninstalled.',
    ]);
    expect(await castor('extensions', 'uninstall', '--all')).toEqual([0, 'No extensions currently installed.']);
    expect(await castor('extensions', 'new', 'made', 'hooks')).toEqual([
      0,
      'You can install this using "castor extensions link made" to test it out.',
    ]);
    expect(await castor('extensions', 'validate', 'made')).toEqual([
      0,
      'Extension made has been successfully validated.',
    ]);
  });
});
