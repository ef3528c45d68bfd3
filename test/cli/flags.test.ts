import { join } from 'node:path';
import { createWorkspace, fakeModel, runCli, say } from '@castor/testkit';
import type { Workspace } from '@castor/testkit';
import { describe, expect, it } from 'vitest';
import { variants } from '../house/variants.ts';

const settings = (value: object) => ({ homeFiles: { '.gemini/settings.json': JSON.stringify(value) } });

async function run(
  args: string[],
  options: { settings?: object; env?: Record<string, string>; workspace?: Workspace } = {},
) {
  await using own = await createWorkspace(settings(options.settings ?? {}));
  await using model = await fakeModel(() => say('ok'));
  const workspace = options.workspace ?? own;
  const result = await runCli(args, { model, workspace, env: options.env ?? {} });
  return { ...result, models: model.requests.map((request) => request.model) };
}

describe('flags that are refused', () => {
  variants.each<[string, string[], number, string]>([
    ['a flag there is none of', ['--frobnicate'], 1, 'unknown flag --frobnicate.'],
    ['two prompts', ['-p', 'a', 'b'], 1, 'not both'],
    ['a prompt for a screen and one without', ['-p', 'a', '-i', 'b'], 1, 'not both'],
    ['a format there is none of', ['-p', 'a', '-o', 'yaml'], 1, '--output-format must be'],
    ['a session id that is a path', ['-p', 'a', '--session-id', '../x'], 1, '--session-id may contain'],
    ['a budget that is none', ['-p', 'a', '--max-time', 'soon'], 1, '--max-time must be'],
    ['a prompt beside a listing', ['-p', 'a', '--list-sessions'], 1, '--prompt has no effect on --list-sessions'],
    ['a prompt beside an editor', ['-p', 'a', '--acp'], 1, '--prompt has no effect on --acp'],
    ['a worktree that is not switched on', ['-p', 'a', '-w'], 1, 'experimental.worktrees'],
  ])('are named in one line, with a hint to the help: %s', async (_, args, code, words) => {
    const result = await run(args);
    expect(result).toMatchObject({ stdout: '', code, models: [] });
    const [line, ...rest] = result.stderr.trimEnd().split('\n');
    expect(line).toContain(words);
    expect(rest).toEqual(['castor --help lists the flags.']);
  });

  variants.each<[string, string[], number, string]>([
    ['a conversation without a terminal', ['-i', 'hi'], 42, 'Error: The --prompt-interactive flag cannot be used when'],
    ['a conversation without a terminal, with words', ['-i', 'hi', 'there'], 42, 'cannot be used when input is piped'],
    ['a session that is not there', ['-r', '99', '-p', 'hi'], 42, 'Error resuming session: '],
    ['nothing to go on with', ['--continue'], 42, 'no interrupted prompt'],
    ['an extension that is not there', ['-e', 'nosuch', '-p', 'hi'], 1, 'Extension not found: nosuch.'],
    [
      'an MCP server that is not there',
      ['--allowed-mcp-server-names', 'nosuch', '-p', 'hi'],
      42,
      '--allowed-mcp-server-names: no MCP server is called nosuch. None is configured; castor mcp add adds one.',
    ],
    ['a session file that is not there', ['--session-file', 'no.json', '-p', 'hi'], 42, 'no.json'],
  ])('say what is missing: %s', async (_, args, code, words) => {
    const result = await run(args);
    expect(result).toMatchObject({ stdout: '', code, models: [] });
    expect(result.stderr).toContain(words);
  });
});

describe('a run without a prompt and without a key', () => {
  variants.each([
    ['text', ['-p'], /^castor: No input provided via stdin\./],
    ['json', ['-p', '-o', 'json'], /^castor: No input provided via stdin\./],
  ])('asks for the prompt, in %s', async (_, args, words) => {
    await using workspace = await createWorkspace();
    const { code, stderr } = await runCli(args, { workspace });
    expect([code, stderr]).toEqual([42, expect.stringMatching(words)]);
  });
});

describe('--help', () => {
  it('lists flags Castor does not support as such, and nowhere else', async () => {
    const { stdout } = await run(['--help']);
    const [supported = '', rest = ''] = stdout.split('does not support yet, and rejects:');
    const flags = ['--worktree'];
    expect(flags.filter((name) => supported.includes(name))).toEqual([]);
    expect(flags.filter((name) => !rest.includes(name))).toEqual([]);
  });
});

describe('settings and flags', () => {
  variants.each<[string, string[], object, Record<string, string>, string]>([
    ['the setting', [], { model: { name: 'from-file' } }, {}, 'from-file'],
    ['the variable over the setting', [], { model: { name: 'from-file' } }, { GEMINI_MODEL: 'from-env' }, 'from-env'],
    ['the flag over both', ['-m', 'x', '-m', 'flag'], { model: { name: 'f' } }, { GEMINI_MODEL: 'e' }, 'flag'],
  ])('take the model from %s', async (_, args, value, env, model) => {
    expect((await run(['-p', 'hi', ...args], { settings: value, env })).models).toEqual([model]);
  });

  it('take the format from the settings unless a flag says otherwise', { tags: 'wide' }, async () => {
    const json = { output: { format: 'json' } };
    expect(JSON.parse((await run(['-p', 'hi'], { settings: json })).stdout)).toMatchObject({ response: 'ok' });
    expect((await run(['-p', 'hi', '-o', 'text'], { settings: json })).stdout).toBe('ok\n');
  });

  variants.each<[string, string[], object, number, string]>([
    ['yolo where it is switched off', ['-y'], { security: { disableYoloMode: true } }, 52, 'security.disableYoloMode'],
    ['a file that holds no object', [], [], 52, 'settings.json'],
    ['another way in than the enforced one', [], { security: { auth: { enforcedType: 'vertex-ai' } } }, 41, 'enforced'],
    ['a sandbox by setting', [], { tools: { sandbox: 'qemu' } }, 44, '--no-sandbox'],
  ])('refuse %s', async (_, args, value, code, words) => {
    const result = await run(['-p', 'hi', ...args], { settings: value });
    expect(result).toMatchObject({ stdout: '', code, models: [] });
    expect(result.stderr).toContain(words);
  });

  it('name a further folder that is not there, and do not make it one', async () => {
    await using workspace = await createWorkspace({ homeFiles: { 'there/x': '' } });
    await using model = await fakeModel([say('ok')]);
    const flags = ['--include-directories', '~/there,./nowhere', '--include-directories', ''];
    const { stderr, code } = await runCli(['-p', 'hi', ...flags], { workspace, model });
    const missing = join(workspace.project, 'nowhere');
    expect([stderr, code]).toEqual([
      `castor: warning: ${missing} was skipped: the folder does not exist (--include-directories, context.includeDirectories).\n`,
      0,
    ]);
    const told = JSON.stringify(model.requests[0]?.body);
    expect([told.includes(join(workspace.home, 'there')), told.includes(missing)]).toEqual([true, false]);
  });

  it('take plan mode that is switched off for the default, and say so', async () => {
    const result = await run(['-p', 'hi', '--approval-mode', 'plan'], {
      settings: { general: { plan: { enabled: false } } },
    });
    expect(result).toMatchObject({ stdout: 'ok\n', code: 0 });
    expect(result.stderr).toContain('plan mode is disabled');
  });

  it(
    'read a key from the .env file of the home, and leave it with --ignore-env in a project',
    { tags: 'wide' },
    async () => {
      await using workspace = await createWorkspace({ files: { '.env': 'GEMINI_API_KEY=from-project\n' } });
      await using model = await fakeModel(() => say('ok'));
      const env = { GEMINI_API_KEY: undefined, GOOGLE_GEMINI_BASE_URL: model.url };
      await runCli(['-p', 'hi'], { workspace, env });
      await runCli(['-p', 'hi', '--ignore-env'], { workspace, env });
      expect(model.requests.map(({ headers }) => headers['x-goog-api-key'])).toEqual(['from-project', undefined]);
    },
  );
});

describe('sessions from the command line', () => {
  it('are listed, gone on with and deleted', { tags: 'wide' }, async () => {
    await using workspace = await createWorkspace();
    expect((await run(['--list-sessions'], { workspace })).stdout).toBe(
      'No previous sessions found for this project.\n',
    );
    await run(['-p', 'first question', '--session-id', 'mine'], { workspace });
    expect((await run(['--list-sessions'], { workspace })).stdout).toBe(
      '\nAvailable sessions for this project (1):\n  1. first question (Just now) [mine]\n',
    );
    expect(await run(['-p', 'again', '--session-id', 'mine'], { workspace })).toMatchObject({ code: 42, stdout: '' });
    const resumed = await run(['-r', '-p', 'second', '-o', 'json'], { workspace });
    expect(JSON.parse(resumed.stdout)).toMatchObject({ session_id: 'mine', response: 'ok' });
    expect((await run(['--delete-session', '1'], { workspace })).stdout).toContain('first question');
    expect((await run(['--list-sessions'], { workspace })).stdout).toContain('No previous sessions');
  });
});

describe('a command that is not there yet', () => {
  it('says so and exits 1', async () => {
    expect(await runCli(['gemma', 'list'])).toMatchObject({
      stdout: '',
      code: 1,
      stderr: expect.stringContaining('yet'),
    });
  });
});

describe('a failure before the run, with -o json', () => {
  it('is one JSON object on stderr as well, whatever else is printed', async () => {
    const { stdout, stderr, code } = await run(['-o', 'json', '-r', '99', '-p', 'hi']);
    const object = stderr.slice(stderr.indexOf('{\n'));
    const error = { type: 'FatalInputError', message: expect.stringContaining('Error resuming session'), code: 42 };
    expect(code).toBe(42);
    expect(JSON.parse(object)).toEqual({ session_id: expect.any(String), error });
    expect(JSON.parse(stdout)).toEqual(JSON.parse(object));
  });
});

describe('a sub-command behind a flag', () => {
  it('is a sub-command, and no prompt', { tags: 'wide' }, async () => {
    const { stdout, code, models } = await run(['--debug', 'config', 'get', 'model.maxSessionTurns']);
    expect([stdout.trim(), code, models]).toEqual(['-1', 0, []]);
  });
});
