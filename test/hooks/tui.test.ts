import { existsSync, readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { answer, call, createWorkspace, fakeModel, say, startTerminal } from '@castor/testkit';
import type { Script, Workspace } from '@castor/testkit';
import { describe, expect, it } from 'vitest';
import { openSign } from './hook-fixture.ts';
import { variants } from '../house/variants.ts';

const TRUSTED = { GEMINI_CLI_TRUST_WORKSPACE: 'true' };
const LOG = 'cat >> "$GEMINI_PROJECT_DIR/log"; echo >> "$GEMINI_PROJECT_DIR/log"';
const settings = (hooks: Record<string, string>) =>
  JSON.stringify({
    hooks: Object.fromEntries(
      Object.entries(hooks).map(([event, command]) => [
        event,
        [{ hooks: [{ type: 'command', name: event, command }] }],
      ]),
    ),
  });

/** The program on a terminal, with hooks in the person's own settings. */
async function start(workspace: Workspace, hooks: Record<string, string>, script: Script, args: string[] = []) {
  await mkdir(join(workspace.home, '.gemini'), { recursive: true });
  await writeFile(join(workspace.home, '.gemini', 'settings.json'), settings(hooks));
  const model = await fakeModel(script);
  const terminal = await startTerminal(args, { workspace, model, env: TRUSTED });
  return {
    model,
    terminal,
    async [Symbol.asyncDispose]() {
      await terminal[Symbol.asyncDispose]();
      await model.close();
    },
  };
}

describe('the terminal UI with hooks', () => {
  it(
    'sends the context of SessionStart again when the prompt that carried it is rewound',
    { tags: 'wide' },
    async () => {
      await using workspace = await createWorkspace();
      const output = JSON.stringify({ hookSpecificOutput: { additionalContext: 'speak Latin' } });
      await using env = await start(workspace, { SessionStart: `echo '${output}'` }, [
        say('Salve.'),
        say('Vale.'),
        say('Ave.'),
      ]);
      const { model, terminal } = env;
      const timesIn = (index: number) => JSON.stringify(model.requests[index]?.body).split('speak Latin').length - 1;
      await terminal.waitForText('Type your message');
      terminal.type('first words\r');
      await terminal.waitForText('Salve.');
      terminal.type('/rewind\r');
      await terminal.waitForText('Rewind to before which message?');
      terminal.type('\r');
      await terminal.waitForText('Rewound to before that message.');
      terminal.type('\r');
      await terminal.waitForText('Vale.');
      terminal.type('more\r');
      await terminal.waitForText('Ave.');
      expect([timesIn(0), timesIn(1), timesIn(2)]).toEqual([1, 1, 1]);
    },
  );

  it('begins and ends a session on start, /clear and exit, and shows what hooks say', async () => {
    const output = { systemMessage: 'the hook spoke', hookSpecificOutput: { additionalContext: 'be brief' } };
    const command = `(cat; echo) >> "$GEMINI_CWD/log"; echo '${JSON.stringify(output)}'`;
    const hooks = [{ hooks: [{ type: 'command', command }] }];
    const settings = JSON.stringify({ hooks: { SessionStart: hooks, SessionEnd: hooks } });
    await using workspace = await createWorkspace({ homeFiles: { '.gemini/settings.json': settings } });
    await using model = await fakeModel([say('an answer')]);
    const env = { GEMINI_CLI_TRUST_WORKSPACE: 'true' };
    await using terminal = await startTerminal([], { workspace, model, env });
    await terminal.waitForText('the hook spoke');
    terminal.type('hello\r');
    await terminal.waitForText('an answer');
    terminal.type('/clear\r');
    await terminal.waitForText('A new session has started.');
    terminal.type('/quit\r');
    expect((await terminal.done).code).toBe(0);
    const lines = readFileSync(join(workspace.project, 'log'), 'utf8').trim().split('\n');
    const fired = lines.map((line) => JSON.parse(line) as Record<string, string>);
    expect(fired.map(({ hook_event_name, source, reason }) => [hook_event_name, source ?? reason])).toEqual([
      ['SessionStart', 'startup'],
      ['SessionEnd', 'clear'],
      ['SessionStart', 'clear'],
      ['SessionEnd', 'exit'],
    ]);
    const [{ parts }] = model.requests[0]?.body.contents as [{ parts: { text: string }[] }];
    expect(parts.slice(1)).toEqual([{ text: '<hook_context>be brief</hook_context>\n\nhello' }]);
  });

  variants.each<[string, string, number]>([
    ['SIGTERM', '', 143],
    ['Ctrl+C', '\x03\x03', 0],
  ])('ends on %s although a SessionStart hook hangs, and leaves it nowhere', async (_, keys, code) => {
    await using workspace = await createWorkspace();
    const sign = openSign(join(workspace.root, 'sign'));
    await using env = await start(workspace, { SessionStart: sign.command, SessionEnd: LOG }, []);
    await sign.isUp;
    await env.terminal.waitForText('Type your message');
    if (keys === '') process.kill(env.terminal.pid, 'SIGTERM');
    else env.terminal.type(keys);
    expect((await env.terminal.done).code).toBe(code);
    await sign.isGone();
    expect(readFileSync(join(workspace.project, 'log'), 'utf8')).toContain('"hook_event_name":"SessionEnd"');
  });

  it('begins without a SessionStart hook that a person would not wait for', { tags: 'wide' }, async () => {
    await using workspace = await createWorkspace();
    const sign = openSign(join(workspace.root, 'sign'));
    await using env = await start(workspace, { SessionStart: sign.command }, [say('an answer')]);
    const { terminal } = env;
    await sign.isUp;
    await terminal.waitForText('Type your message');
    terminal.type('hello\r');
    await terminal.waitForText(/> hello|hello/);
    terminal.type('\x03');
    await terminal.waitForText('the session starts without them');
    await terminal.waitForText('Type your message');
    terminal.type('again\r');
    await terminal.waitForText('an answer');
  });

  it('gives the terminal back on a signal although a SessionEnd hook hangs', { tags: 'wide' }, async () => {
    await using workspace = await createWorkspace();
    await using env = await start(workspace, { SessionEnd: 'sleep 1000' }, [say('an answer')]);
    await env.terminal.waitForText('Type your message');
    env.terminal.type('hello\r');
    await env.terminal.waitForText('an answer');
    process.kill(env.terminal.pid, 'SIGTERM');
    expect((await env.terminal.done).code).toBe(143);
    expect([env.terminal.modes().hasBracketedPaste, env.terminal.lines().join('\n')]).toEqual([
      false,
      expect.stringContaining('castor -r '),
    ]);
  });

  it('shows at once what a hook says to a command', { tags: 'wide' }, async () => {
    await using workspace = await createWorkspace();
    const hook = `case $(cat) in *manual*) echo 'a copy was made';; esac`;
    await using env = await start(workspace, { PreCompress: hook }, () => say('an answer'));
    await env.terminal.waitForText('Type your message');
    env.terminal.type('hello\r');
    await env.terminal.waitForText('an answer');
    env.terminal.type('/compress\r');
    await env.terminal.waitForText('a copy was made');
  });

  it('lists hooks with /hooks, and switches them where it stands', { tags: 'wide' }, async () => {
    await using workspace = await createWorkspace();
    await using env = await start(workspace, { BeforeAgent: 'echo no >&2; exit 2' }, [say('an answer')]);
    const { terminal } = env;
    await terminal.waitForText('Type your message');
    terminal.type('/hooks\r');
    await terminal.waitForText('state    enabled');
    terminal.type('/hooks disable BeforeAgent\r');
    await terminal.waitForText('BeforeAgent is disabled, in this session');
    terminal.type('hello\r');
    await terminal.waitForText('an answer');
    const file = JSON.parse(readFileSync(join(workspace.home, '.gemini', 'settings.json'), 'utf8')) as object;
    expect(file).toMatchObject({ hooksConfig: { disabled: ['BeforeAgent'] } });
    terminal.type('/hooks enable-all\r');
    await terminal.waitForText('One hook is enabled');
    terminal.type('hello again\r');
    await terminal.waitForText('A hook refused this: no');
    expect(env.model.requests.length).toBe(1);
  });

  it('asks about a call a hook wants asked, in yolo too, and tells another hook of it once', async () => {
    await using workspace = await createWorkspace();
    const script = [answer(call('run_shell_command', { command: 'touch made' }, { id: '1' })), say('finished')];
    const hooks = { BeforeTool: `echo '{"decision":"ask"}'`, Notification: LOG };
    await using env = await start(workspace, hooks, script, ['-y']);
    const { terminal } = env;
    await terminal.waitForText('Type your message');
    terminal.type('hello\r');
    await terminal.waitForText('Yes, once');
    expect(existsSync(join(workspace.project, 'made'))).toBe(false);
    terminal.type('\r');
    await terminal.waitForText('finished');
    terminal.type('/quit\r');
    await terminal.done;
    const asked = readFileSync(join(workspace.project, 'log'), 'utf8').trim().split('\n');
    expect([asked.length, existsSync(join(workspace.project, 'made'))]).toEqual([1, true]);
  });

  it('asks again about hooks that come after the folder was trusted', { tags: 'wide' }, async () => {
    await using workspace = await createWorkspace({ files: { 'GEMINI.md': 'Use tabs.' } });
    await using model = await fakeModel([]);
    await using terminal = await startTerminal([], { workspace, model });
    await terminal.waitForText('Trust this folder');
    terminal.type('\x1b[B\r');
    await terminal.waitForNoText('Trust this folder');
    await terminal.waitForText('Type your message');
    terminal.type('/quit\r');
    await terminal.done;
    await workspace.write('.gemini/settings.json', settings({ SessionStart: 'touch canary' }));
    await using second = await startTerminal([], { workspace, model });
    await second.waitForText('Some hooks of this project are new or changed since your consent');
    expect(existsSync(join(workspace.project, 'canary'))).toBe(false);
  });
});
