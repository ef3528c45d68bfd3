/** Hooks in the program as it is built: settings files, trust, sessions that begin and end, and signals. */

import { existsSync, readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  answer,
  call,
  createWorkspace,
  ending,
  fakeModel,
  googleError,
  jsonAnswer,
  runCli,
  say,
  startCli,
  text,
} from '@castor/testkit';
import type { CliOptions, Script, Workspace } from '@castor/testkit';
import { describe, expect, it } from 'vitest';
import { openSign } from './hook-fixture.ts';
import { variants } from '../house/variants.ts';

const settings = (hooks: Record<string, string>, rest: object = {}) =>
  JSON.stringify({
    hooks: Object.fromEntries(
      Object.entries(hooks).map(([event, command]) => [event, [{ hooks: [{ type: 'command', command }] }]]),
    ),
    ...rest,
  });

const LOG = 'cat >> "$GEMINI_PROJECT_DIR/log"; echo >> "$GEMINI_PROJECT_DIR/log"';

function eventsIn({ project }: Workspace): unknown[] {
  const path = join(project, 'log');
  if (!existsSync(path)) return [];
  const lines = readFileSync(path, 'utf8').split('\n');
  return lines.filter(Boolean).map((line) => {
    const { hook_event_name, source, reason } = JSON.parse(line) as Record<string, unknown>;
    return [hook_event_name, source ?? reason];
  });
}

async function runIn(workspace: Workspace, script: Script, args: string[] = [], options: CliOptions = {}) {
  await using model = await fakeModel(script);
  const result = await runCli(['-p', 'hello', ...args], { model, workspace, ...options });
  return { ...result, requests: model.requests };
}

describe('castor with hooks in the user’s settings', () => {
  variants.each(['text', 'json', 'stream-json'])(
    'says on stderr what they say, whatever goes to stdout: %s',
    async (format) => {
      const hooks = { SessionStart: 'echo welcome', BeforeAgent: 'echo looking', SessionEnd: 'echo bye' };
      await using workspace = await createWorkspace({ homeFiles: { '.gemini/settings.json': settings(hooks) } });
      const { stdout, stderr, code } = await runIn(workspace, [say('ok')], ['-o', format]);
      expect([code, stderr]).toEqual([
        0,
        'Hook system message: welcome\nHook system message: looking\nHook system message: bye\n',
      ]);
      expect(stdout).not.toContain('looking');
      expect(stdout).toContain('ok');
    },
  );

  it('begins and ends a session once, and puts the context before the prompt', async () => {
    const context = `${LOG}; echo '{"hookSpecificOutput":{"additionalContext":"be brief"}}'`;
    const hooks = { SessionStart: context, SessionEnd: LOG };
    await using workspace = await createWorkspace({ homeFiles: { '.gemini/settings.json': settings(hooks) } });
    const { requests } = await runIn(workspace, [say('ok')]);
    expect(eventsIn(workspace)).toEqual([
      ['SessionStart', 'startup'],
      ['SessionEnd', 'exit'],
    ]);
    const { parts } = requests[0]?.body.contents.at(-1) as { parts: { text: string }[] };
    expect(parts.at(-1)?.text).toBe('<hook_context>be brief</hook_context>\n\nhello');
  });

  variants.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)('ends the session on %s too', async (signal, code) => {
    await using workspace = await createWorkspace({
      homeFiles: { '.gemini/settings.json': settings({ SessionEnd: LOG }) },
    });
    await using model = await fakeModel([answer(text('one'), ending('stall'))]);
    await using cli = await startCli(['-p', 'hello', '-o', 'stream-json'], { model, workspace });
    await cli.waitForStdout('"one"');
    cli.kill(signal);
    expect((await cli.done).code).toBe(code);
    expect(eventsIn(workspace)).toEqual([['SessionEnd', 'exit']]);
  });

  variants.each([
    ['SIGTERM', 143],
    ['SIGKILL', null],
  ] as const)('leaves no hook running when it ends by %s', { tags: 'wide' }, async (signal, code) => {
    await using workspace = await createWorkspace();
    const sign = openSign(join(workspace.root, 'sign'));
    await mkdir(join(workspace.home, '.gemini'));
    await writeFile(join(workspace.home, '.gemini', 'settings.json'), settings({ BeforeAgent: sign.command }));
    await using model = await fakeModel([]);
    await using cli = await startCli(['-p', 'hello'], { model, workspace });
    await sign.isUp;
    cli.kill(signal);
    expect((await cli.done).code).toBe(code);
    await sign.isGone();
  });

  variants.each(['text', 'json', 'stream-json'])(
    'ends the session also when the service refuses, in %s',
    { tags: 'wide' },
    async (format) => {
      await using workspace = await createWorkspace({
        homeFiles: { '.gemini/settings.json': settings({ SessionEnd: LOG }) },
      });
      const { code } = await runIn(workspace, [jsonAnswer(400, googleError(400))], ['-o', format]);
      expect([code, eventsIn(workspace)]).toEqual([1, [['SessionEnd', 'exit']]]);
    },
  );

  it('leaves one record of telemetry for each run of a hook', { tags: 'wide' }, async () => {
    await using workspace = await createWorkspace();
    const outfile = join(workspace.root, 'telemetry.log');
    const hooks = { BeforeTool: 'exit 1', AfterAgent: 'echo fine', SessionEnd: 'true' };
    const text = settings(hooks, { telemetry: { enabled: true, target: 'local', outfile } });
    await mkdir(join(workspace.home, '.gemini'));
    await writeFile(join(workspace.home, '.gemini', 'settings.json'), text);
    await runIn(workspace, [answer(call('run_shell_command', { command: 'true' }, { id: '1' })), say('done')], ['-y']);
    const records = readFileSync(outfile, 'utf8').split(/(?<=^\})\n(?=\{)/m);
    const calls = records.flatMap((record) => {
      const { attributes } = JSON.parse(record) as { attributes?: Record<string, unknown> };
      return attributes?.['event.name'] === 'gemini_cli.hook_call' ? [attributes] : [];
    });
    expect(calls.map((one) => [one['hook_event_name'], one['hook_name'], one['success'], one['exit_code']])).toEqual([
      ['BeforeTool', 'exit 1', false, 1],
      ['AfterAgent', 'echo fine', true, 0],
      ['SessionEnd', 'true', true, 0],
    ]);
  });

  it('lists them when asked with /hooks, and asks no model', { tags: 'wide' }, async () => {
    await using workspace = await createWorkspace({
      homeFiles: { '.gemini/settings.json': settings({ BeforeAgent: './guard' }) },
    });
    await using model = await fakeModel([]);
    const { stdout, code } = await runCli(['-p', '/hooks'], { model, workspace });
    expect([code, model.requests.length, stdout]).toEqual([
      0,
      0,
      expect.stringMatching(/^BeforeAgent\n {2}command {2}\.\/guard\n {2}from {5}user .*\n {2}state {4}enabled\n$/),
    ]);
  });

  it('lets the model read why a call did not run, in yolo too', async () => {
    const hooks = { BeforeTool: 'echo "not today" >&2; exit 2' };
    await using workspace = await createWorkspace({ homeFiles: { '.gemini/settings.json': settings(hooks) } });
    const script = [answer(call('run_shell_command', { command: 'touch made' }, { id: '1' })), say('done')];
    const { requests, stdout, code } = await runIn(workspace, script, ['-y']);
    const [part] = requests[1]?.body.contents.at(-1).parts ?? [];
    expect(part.functionResponse.response).toEqual({ error: 'Tool execution blocked: not today' });
    expect([stdout, code, existsSync(join(workspace.project, 'made'))]).toEqual(['done\n', 0, false]);
  });

  variants.each(['BeforeAgent', 'BeforeModel'])(
    'answers with the reason, and succeeds, when %s refuses the prompt',
    async (hook) => {
      const hooks = { [hook]: 'echo "no secrets" >&2; exit 2' };
      await using workspace = await createWorkspace({ homeFiles: { '.gemini/settings.json': settings(hooks) } });
      const asText = await runIn(workspace, []);
      expect([asText.stdout, asText.code, asText.requests.length]).toEqual(['no secrets\n', 0, 0]);
      expect(asText.stderr).toContain('[WARNING] Agent execution blocked: no secrets');
      const blocked = { hook, reason: 'no secrets' };
      const asJson = await runIn(workspace, [], ['-o', 'json']);
      expect([asJson.code, JSON.parse(asJson.stdout)]).toMatchObject([0, { response: 'no secrets', blocked }]);
      expect(asJson.stderr).toContain('[WARNING] Agent execution blocked: no secrets');
      const asStream = await runIn(workspace, [], ['-o', 'stream-json']);
      const lines = asStream.stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as Record<string, unknown>);
      expect(lines.at(-1)).toMatchObject({ type: 'result', status: 'success', blocked });
      expect(lines.at(-2)).toMatchObject({ type: 'message', role: 'assistant', content: 'no secrets' });
    },
  );

  variants.each([
    ['BeforeAgent', /Agent execution stopped: enough/],
    ['BeforeTool', /Agent execution stopped: .*enough/],
  ])('names the stop of a %s hook in every format', async (event, message) => {
    const hooks = { [event]: `echo '{"continue":false,"stopReason":"enough"}'` };
    await using workspace = await createWorkspace({ homeFiles: { '.gemini/settings.json': settings(hooks) } });
    const script = event === 'BeforeTool' ? [answer(call('list_directory', { dir_path: '.' }, { id: '1' }))] : [];
    const asJson = await runIn(workspace, script, ['-o', 'json']);
    const { response, warnings } = JSON.parse(asJson.stdout) as { response: string; warnings: string[] };
    expect([asJson.code, response, warnings]).toEqual([0, '', [expect.stringMatching(message)]]);
    expect(asJson.stderr).toMatch(message);
    expect((await runIn(workspace, script, ['-o', 'stream-json'])).stdout).toMatch(message);
    expect((await runIn(workspace, script)).stderr).toMatch(message);
  });

  it('leaves a variable of the command to the shell', { tags: 'wide' }, async () => {
    const hooks = { BeforeAgent: 'touch "$CASTOR_HOOK_TEST"' };
    await using workspace = await createWorkspace({ homeFiles: { '.gemini/settings.json': settings(hooks) } });
    const env = { CASTOR_HOOK_TEST: 'a"; touch PWNED; "' };
    await runIn(workspace, [say('ok')], [], { env });
    const made = ['PWNED', env.CASTOR_HOOK_TEST].map((name) => existsSync(join(workspace.project, name)));
    expect(made).toEqual([false, true]);
  });
});

describe('castor in a project that brings hooks', () => {
  const hooks = settings({ BeforeAgent: 'touch canary', SessionStart: 'touch canary' });

  variants.each<[string, string[]]>([
    ['-p', []],
    ['--yolo', ['--yolo']],
  ])('runs none of them in an untrusted folder, with %s', async (_, args) => {
    await using workspace = await createWorkspace({ files: { '.gemini/settings.json': hooks } });
    const { stdout } = await runIn(workspace, [say('ok')], args);
    expect([stdout, existsSync(join(workspace.project, 'canary'))]).toEqual(['ok\n', false]);
  });

  it('announces them once where it is trusted, and runs a changed one only after another consent', async () => {
    await using workspace = await createWorkspace({ files: { '.gemini/settings.json': hooks } });
    const file = join(workspace.root, 'trusted.json');
    await writeFile(file, JSON.stringify({ [workspace.project]: 'TRUST_FOLDER' }), { mode: 0o600 });
    const env = { GEMINI_CLI_TRUSTED_FOLDERS_PATH: file };
    const run = (args: string[] = []) => runIn(workspace, [say('ok')], args, { env });
    const isMade = (name: string) => existsSync(join(workspace.project, name));

    expect((await run()).stderr).toContain(
      'This project has hooks that run with your permissions: BeforeAgent (touch canary)',
    );
    expect(isMade('canary')).toBe(true);
    expect((await run()).stderr).toBe('');

    await workspace.write('.gemini/settings.json', settings({ BeforeAgent: 'touch evil' }));
    expect((await run()).stderr).toContain('do not run: BeforeAgent (touch evil)');
    expect(isMade('evil')).toBe(false);
    const consented = await runCli(['hooks', 'trust'], { workspace, env });
    expect([consented.code, consented.stdout]).toEqual([0, expect.stringContaining('BeforeAgent: touch evil')]);
    expect([(await run()).stderr, isMade('evil')]).toEqual(['', true]);

    await workspace.write('.gemini/settings.json', settings({ BeforeAgent: 'touch again' }));
    expect((await run(['--skip-trust'])).stderr).toContain('run with your permissions');
    expect(isMade('again')).toBe(true);
  });
});
