/** Hooks that do not do their work: each is named in a clear sentence, and none blocks unless it said so. */

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AgentEvent, HookLayer } from '@castor/core';
import { answer, call, createWorkspace, say } from '@castor/testkit';
import type { TelemetryPort } from '@castor/core';
import { describe, expect, it } from 'vitest';
import { openHooked, openLatecomer, openSign, says, summaryOf, toldOf, userHooks } from './hook-fixture.ts';
import { variants } from '../house/variants.ts';

const READ = [answer(call('read_file', { file_path: 'a.txt' }, { id: '1' })), say('done')];
const RAN = { output: 'text of a' };
const messagesOf = (events: readonly AgentEvent[]) =>
  events.flatMap((event) => (event.type === 'hook_message' ? [`${event.level}: ${event.message}`] : []));

describe('a BeforeTool hook that', () => {
  variants.each<[string, string, object, (string | RegExp)[]]>([
    [
      'is missing',
      '/nowhere/hook',
      RAN,
      [/^warning: Hook\(s\) \[\/nowhere\/hook\] failed for event BeforeTool\. .*code 127: .*No such file/],
    ],
    ['may not be executed', './a.txt', RAN, [/failed for event BeforeTool\. .*code 126: .*Permission denied/]],
    ['exits 1 in silence', 'exit 1', RAN, [/^warning: .*it exited with code 1\.$/]],
    ['exits 1 with a word', 'echo hm; exit 1', RAN, [/^warning: .*it exited with code 1\.$/, 'info: Warning: hm']],
    ['exits 2 in silence', 'exit 2', { error: 'Tool execution blocked: No reason provided' }, []],
    ['exits 2 with a word', 'echo no >&2; exit 2', { error: 'Tool execution blocked: no' }, []],
    ['exits 9 in silence', 'exit 9', RAN, [/^warning: .*it exited with code 9\.$/]],
    ['exits 9 with a word', 'echo no; exit 9', { error: 'Tool execution blocked: no' }, []],
    ['prints text', 'echo fine', RAN, ['info: fine']],
    ['prints nothing', 'true', RAN, []],
    [
      'prints text and JSON',
      `echo checking; echo '{"decision":"deny"}'`,
      RAN,
      [
        /^warning: The hook .* \(BeforeTool\) printed text besides its JSON, so Castor ignored the JSON/,
        /^info: checking/,
      ],
    ],
    [
      'prints JSON twice encoded',
      `echo '"{\\"decision\\":\\"deny\\",\\"reason\\":\\"no\\"}"'`,
      { error: 'Tool execution blocked: no' },
      [],
    ],
    [
      'gives a decision there is none of',
      `echo '{"decision":"reject"}'`,
      RAN,
      [/returned "decision" that must be one of ask, block, deny, approve, allow, not "reject"/],
    ],
    [
      'prints 50 MB',
      'head -c 52428800 /dev/zero | tr "\\0" x; exit 1',
      RAN,
      [
        /it exited with code 1/,
        /printed 41943040 bytes beyond the limit/,
        /^info: Warning: x{16000}… \[\d+ characters omitted\]$/,
      ],
    ],
    ['closes its input early', 'exec 0<&-; echo fine', RAN, ['info: fine']],
    ['is killed', 'kill -9 $$', RAN, [/it was ended by SIGKILL/]],
    [
      'has a command the shell cannot read',
      'if then',
      RAN,
      [/^warning: .*its command has a syntax error: .*syntax error near unexpected token/],
    ],
  ])('%s', async (_, command, told, messages) => {
    await using env = await openHooked(READ, [userHooks({ BeforeTool: command })]);
    const events = await env.prompt('hello');
    expect(summaryOf(events)).toEqual({ text: 'done', outcome: 'completed' });
    expect([toldOf(env.model), messagesOf(events)]).toEqual([
      [told],
      messages.map((message) => (typeof message === 'string' ? message : expect.stringMatching(message))),
    ]);
  });

  it('leaves a child that prints on is heard without it', async () => {
    await using workspace = await createWorkspace();
    const late = openLatecomer(join(workspace.root, 'late'));
    const command = `echo '{"decision":"deny","reason":"no"}'; (${late.command}) &`;
    await using env = await openHooked(READ, [userHooks({ BeforeTool: command })]);
    const prompted = env.prompt('hello');
    await late.speak();
    expect([messagesOf(await prompted), toldOf(env.model)]).toEqual([[], [{ error: 'Tool execution blocked: no' }]]);
  });

  it('leaves a child that never ends is not waited for', async () => {
    await using workspace = await createWorkspace();
    const late = openLatecomer(join(workspace.root, 'late'));
    await using env = await openHooked(READ, [userHooks({ BeforeTool: `(${late.command}) & echo early` })]);
    const events = await env.prompt('hello');
    await late.speak();
    expect([messagesOf(events), toldOf(env.model)]).toEqual([['info: early'], [RAN]]);
  });

  it('hangs past its timeout is ended, named, and delays the run no longer', async () => {
    const layer: HookLayer = {
      source: 'user',
      hooks: { BeforeTool: [{ hooks: [{ type: 'command', name: 'slow', command: 'sleep 1000', timeout: 50 }] }] },
    };
    await using env = await openHooked(READ, [layer]);
    const events = await env.prompt('hello');
    expect([toldOf(env.model), messagesOf(events)]).toEqual([
      [RAN],
      ['warning: Hook(s) [slow] failed for event BeforeTool. slow: it did not finish within 50 ms and was ended.'],
    ]);
  });

  it('fails again and again is named once', async () => {
    const reads = ['1', '2', '3'].map((id) => call('read_file', { file_path: 'a.txt' }, { id }));
    await using env = await openHooked([answer(...reads), say('done')], [userHooks({ BeforeTool: 'exit 1' })]);
    expect(messagesOf(await env.prompt('hello')).length).toBe(1);
  });

  it('is written wrong is named when the session opens', async () => {
    const layer = { source: 'user' as const, file: '/s.json', hooks: { BeforeTool: [{ hooks: [{ command: 'x' }] }] } };
    await using env = await openHooked([], [layer]);
    expect(await env.closing()).toEqual([
      {
        type: 'notice',
        level: 'warning',
        message: '/s.json: hooks.BeforeTool[0].hooks[0] was skipped: its "type" must be "command", not nothing.',
      },
    ]);
  });

  it('asks for silence is not shown to the person, and its words are kept from the record', async () => {
    const records: object[] = [];
    await using env = await openHooked(
      READ,
      [userHooks({ BeforeTool: says({ suppressOutput: true, systemMessage: 'psst' }) })],
      { telemetry: recordHooks(records) },
    );
    expect(messagesOf(await env.prompt('hello'))).toEqual([]);
    expect(records).toEqual([
      {
        hookEventName: 'BeforeTool',
        hookType: 'command',
        hookName: expect.any(String),
        durationMs: expect.any(Number),
        success: true,
        exitCode: 0,
        input: expect.stringContaining('"tool_name":"read_file"'),
      },
    ]);
  });
});

describe('hooks', () => {
  it('leave one record for each run, failed ones too', async () => {
    const records: object[] = [];
    await using env = await openHooked(
      READ,
      [userHooks({ BeforeTool: ['exit 1', 'exit 2'], AfterAgent: 'echo fine' })],
      { telemetry: recordHooks(records) },
    );
    await env.prompt('hello');
    expect(records).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ hookName: 'exit 1', success: false, exitCode: 1, error: 'it exited with code 1' }),
        expect.objectContaining({ hookName: 'exit 2', success: false, exitCode: 2, output: '{"decision":"deny"}' }),
        expect.objectContaining({ hookEventName: 'AfterAgent', success: true, exitCode: 0, stdout: 'fine\n' }),
      ]),
    );
    expect(records.length).toBe(3);
  });

  it('of the same name and command in two files fire once', async () => {
    const hook = says();
    const project: HookLayer = { ...userHooks({ BeforeTool: hook }), source: 'project' };
    await using env = await openHooked(READ, [userHooks({ BeforeTool: hook }), project], { trustedFolder: true });
    await env.prompt('hello');
    expect(env.log().length).toBe(1);
  });

  variants.each<[HookLayer['source'], string]>([
    ['user', 'mine,-c core.pager=x,/evil.so,'],
    ['project', 'mine,,,'],
    ['extension', 'mine,,,'],
  ])('of %s settings see of the variables of their entry %j, and never our key', async (source, seen) => {
    const env_ = {
      MINE: 'mine',
      GIT_SSH_COMMAND: '-c core.pager=x',
      LD_AUDIT: '/evil.so',
      KEY: 'secret-key',
      GEMINI_API_KEY: 'x',
    };
    const command = 'echo "$MINE,$GIT_SSH_COMMAND,$LD_AUDIT,$KEY" > seen; env >> all';
    const layer = { source, hooks: { BeforeAgent: [{ hooks: [{ type: 'command', command, env: env_ }] }] } };
    await using env = await openHooked([say('ok')], [layer], { trustedFolder: true });
    await env.prompt('hello');
    expect((await env.workspace.read('seen')).trim()).toBe(seen);
    const all = await env.workspace.read('all');
    expect(all).not.toMatch(/secret-key|^GEMINI_API_KEY=/m);
    expect(all).toContain(`GEMINI_PROJECT_DIR=${env.workspace.project}\n`);
    expect(all).toContain('GEMINI_SESSION_ID=session\n');
  });

  it('that ask for silence are silent, and the others are heard', async () => {
    const hooks = [says({ suppressOutput: true, systemMessage: 'psst' }), says({ systemMessage: 'look out' })];
    await using env = await openHooked(READ, [userHooks({ BeforeTool: hooks })]);
    expect(messagesOf(await env.prompt('hello'))).toEqual(['info: look out']);
  });

  it('are switched off and on in the middle of a session', async () => {
    const layer: HookLayer = {
      source: 'user',
      hooks: { BeforeAgent: [{ hooks: [{ type: 'command', name: 'guard', command: 'echo no >&2; exit 2' }] }] },
    };
    await using env = await openHooked([say('one'), say('two')], [layer]);
    const prompt = async () => summaryOf(await env.prompt('hello')).outcome;
    expect([env.agent.hooks?.setEnabled('guard', false), await prompt()]).toEqual([true, 'completed']);
    expect([env.agent.hooks?.setEnabled('guard', true), await prompt()]).toEqual([true, 'blocked']);
    expect(env.agent.hooks?.setEnabled('nobody', true)).toBe(false);
  });

  variants.each([undefined, false])('of a project do not run in a folder with trust %j', async (trustedFolder) => {
    const layer: HookLayer = { ...userHooks({ BeforeAgent: 'touch canary' }), source: 'project' };
    await using env = await openHooked([say('ok')], [layer], { trustedFolder });
    await env.prompt('hello');
    await expect(env.workspace.read('canary')).rejects.toMatchObject({ code: 'ENOENT' });
  });

  it('end with the prompt that is cancelled, and leave nothing running', async () => {
    await using folder = await createWorkspace();
    const sign = openSign(join(folder.root, 'sign'));
    await using env = await openHooked([], [userHooks({ BeforeAgent: sign.command })]);
    const controller = new AbortController();
    const events = env.agent.session.prompt('hello', controller.signal);
    await events.next();
    const next = events.next();
    await sign.isUp;
    controller.abort();
    expect((await next).value).toEqual({ type: 'user_cancelled' });
    await sign.isGone();
  });

  it('are found by a project path with spaces and quotes', async () => {
    await using env = await openHooked([say('ok')], []);
    const root = join(env.workspace.project, `a b'c`);
    mkdirSync(root);
    writeFileSync(join(root, 'hook.sh'), 'touch ran\n');
    const layers = [userHooks({ BeforeAgent: 'bash $GEMINI_PROJECT_DIR/hook.sh' })];
    await using inside = await openHooked([say('ok')], layers, { root });
    await inside.prompt('hello');
    expect(readFileSync(join(root, 'ran'), 'utf8')).toBe('');
  });
});

/** Telemetry that keeps what is reported of hooks. */
function recordHooks(records: object[]): TelemetryPort {
  return {
    watch: (generator) => generator,
    add: () => undefined,
    called: () => undefined,
    hookExecuted: (execution) => void records.push(execution),
    note: () => undefined,
    log: () => undefined,
    shutdown: async () => undefined,
  };
}
