import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createWorkspace } from '@castor/testkit';
import type { Workspace, WorkspaceOptions } from '@castor/testkit';
import { describe, expect, it } from 'vitest';
import { runHooksCommand } from './hooks.ts';

async function open(options: WorkspaceOptions = {}, environment: Record<string, string> = {}) {
  const workspace = await createWorkspace(options);
  const { project: cwd, home } = workspace;
  async function run(...args: string[]) {
    let stdout = '';
    let stderr = '';
    const output = {
      answer: async (text: string) => void (stdout += text),
      note: (text: string) => void (stderr += `${text}\n`),
    };
    const env = { PATH: process.env['PATH'], HOME: home, ...environment };
    const code = await runHooksCommand(args, { output, cwd, home, environment: env }).catch((error: Error) => {
      stderr += error.message;
      return -1;
    });
    return { code, stdout, stderr };
  }
  return { workspace, run, [Symbol.asyncDispose]: () => workspace.dispose() };
}

async function trustFolder({ project, home }: Workspace): Promise<void> {
  await mkdir(join(home, '.gemini'), { recursive: true });
  const text = JSON.stringify({ [project]: 'TRUST_FOLDER' });
  await writeFile(join(home, '.gemini', 'trustedFolders.json'), text, { mode: 0o600 });
}

const TRUSTED = { GEMINI_CLI_TRUST_WORKSPACE: 'true' };
const settings = (hooks: object, rest: object = {}) => JSON.stringify({ hooks, ...rest });
const one = (command: string, rest: object = {}) => [{ hooks: [{ type: 'command', command, ...rest }] }];

describe('castor hooks list', () => {
  it('shows source, event, matcher, command and state of each', async () => {
    await using env = await open(
      {
        homeFiles: {
          '.gemini/settings.json': settings(
            {
              BeforeTool: [{ matcher: 'write', hooks: [{ type: 'command', name: 'guard', command: './g' }] }],
              Foo: [],
            },
            { hooksConfig: { disabled: ['guard'] } },
          ),
        },
        files: { '.gemini/settings.json': settings({ AfterAgent: one('echo done', { timeout: 5 }) }) },
      },
      TRUSTED,
    );
    const { code, stdout, stderr } = await env.run('list');
    const { home, project } = env.workspace;
    expect([code, stdout]).toEqual([
      0,
      `AfterAgent
  command  echo done
  timeout  5 ms
  from     project (${join(project, '.gemini/settings.json')})
  state    enabled, trusted with the folder; announced at the next run

BeforeTool
  name     guard
  command  ./g
  matcher  write
  from     user (${join(home, '.gemini/settings.json')})
  state    disabled
`,
    ]);
    expect(stderr).toContain('hooks.Foo was skipped: unknown event.');
  });

  it('is JSON for scripts', async () => {
    await using env = await open({ homeFiles: { '.gemini/settings.json': settings({ BeforeAgent: one('true') }) } });
    expect(JSON.parse((await env.run('list', '--json')).stdout)).toEqual([
      {
        event: 'BeforeAgent',
        name: 'true',
        command: 'true',
        matcher: '',
        sequential: false,
        timeoutMs: 60_000,
        source: 'user',
        file: expect.any(String),
        enabled: true,
      },
    ]);
  });

  it('says that an untrusted folder was not read', async () => {
    await using env = await open({ files: { '.gemini/settings.json': settings({ BeforeAgent: one('true') }) } });
    const { stdout, stderr } = await env.run('list');
    expect([stdout, stderr]).toEqual([
      'No hooks. To write one, see docs/hooks.md\n',
      'castor: Castor ignored the settings of this folder, because it is not trusted.\n',
    ]);
  });
});

describe('castor hooks test', () => {
  const hooked = (command: string, event = 'BeforeTool') =>
    open({ homeFiles: { '.gemini/settings.json': settings({ [event]: one(command, { name: 'h' }) }) } });

  it.each<[string, string, RegExp]>([
    [
      'BeforeTool',
      `echo no >&2; exit 2`,
      /exit code {2}2\n.*stderr {5}no\n.*decision .*"deny","reason":"no".*\n\nEffect: the call does not run, and the model reads "Tool execution blocked: no"\.\n$/s,
    ],
    [
      'BeforeTool',
      `echo '{"decision":"ask"}'`,
      /Effect: Castor asks the user, even where the policies allow the call\.\n$/,
    ],
    ['BeforeTool', 'true', /decision {3}nothing\n\nEffect: none\. Castor continues unchanged\.\n$/],
    ['AfterAgent', `echo '{"decision":"block","reason":"more"}'`, /Effect: the model continues and reads: more\.\n$/],
    ['SessionStart', 'echo hello', /Effect: the user reads the message\.\n$/],
    [
      'BeforeAgent',
      `echo '{"hookSpecificOutput":{"additionalContext":"x"}}'`,
      /Effect: the model reads the context with the prompt\.\n$/,
    ],
    ['AfterModel', `echo '{"continue":false,"stopReason":"enough"}'`, /Effect: the prompt is stopped: enough\.\n$/],
  ])('runs a %s hook that does %s and shows what follows', async (event, command, expected) => {
    await using env = await hooked(command, event);
    const { code, stdout, stderr } = await env.run('test', event);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(expected);
    expect(stdout).toMatch(/took {7}\d+ ms/);
  });

  it('tells the hook what a file says over the sample', async () => {
    await using env = await hooked('cat >&2');
    const file = await env.workspace.write('input.json', '{"tool_input":{"command":"rm"}}');
    const { stdout } = await env.run('test', 'beforetool', '--input', file);
    expect(stdout).toMatch(/"tool_name":"run_shell_command","tool_input":\{"command":"rm"\}/);
  });

  it('exits 1 when a hook fails or makes a mistake', async () => {
    await using env = await hooked(`echo log; echo '{"decision":"deny"}'`);
    const { code, stdout } = await env.run('test', 'BeforeTool');
    expect(code).toBe(1);
    expect(stdout).toContain('problem    it printed text besides its JSON');
  });

  it.each<[string[], string]>([
    [['test', 'BeforeTol'], 'unknown event BeforeTol. Did you mean BeforeTool?'],
    [['test', 'AfterTool'], 'no hook for AfterTool.'],
    [['test', 'BeforeTool', '--name', 'x'], 'no hook "x" for BeforeTool.'],
    [['test', 'BeforeTool', '--input', '/nowhere'], 'the input is not readable'],
    [['test'], 'castor hooks test takes one event (BeforeTool, AfterTool,'],
    [['tets'], 'unknown command castor hooks tets. Did you mean test?'],
    [['toString'], 'unknown command castor hooks toString.'],
    [['list', '--jsno'], '--jsno is an unknown option of castor hooks.'],
    [['enable', 'x', '--scope', 'all'], '--scope must be user or workspace, not "all".'],
  ])('%j says: %s', async (args, words) => {
    await using env = await hooked('true');
    const { code, stderr } = await env.run(...args);
    expect(code).not.toBe(0);
    expect(stderr).toContain(words);
  });
});

describe('castor hooks enable, disable and trust', () => {
  it('switch a hook off and on, and leave the rest of the file alone', async () => {
    const text = `{\n  // mine\n  "hooks": ${JSON.stringify({ BeforeAgent: one('true', { name: 'h' }) })}\n}\n`;
    await using env = await open({ homeFiles: { '.gemini/settings.json': text } });
    const read = () => readFile(join(env.workspace.home, '.gemini/settings.json'), 'utf8');
    expect((await env.run('disable', 'h')).code).toBe(0);
    expect([(await env.run('list')).stdout, await read()]).toEqual([
      expect.stringContaining('state    disabled'),
      expect.stringContaining('// mine'),
    ]);
    expect((await env.run('enable', 'h')).code).toBe(0);
    expect((await env.run('list')).stdout).toContain('state    enabled');
    expect(await env.run('disable', 'x')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('unknown hook "x"'),
    });
  });

  it('consent to a changed hook, in a trusted folder only', async () => {
    const files = { '.gemini/settings.json': settings({ BeforeAgent: one('./a.sh') }), 'a.sh': '1' };
    await using env = await open({ files });
    await trustFolder(env.workspace);
    await env.run('trust');
    expect((await env.run('list')).stdout).toContain('enabled, trusted\n');
    await writeFile(join(env.workspace.project, 'a.sh'), '2');
    expect((await env.run('list')).stdout).toContain('changed since you consented: does not run');
    expect((await env.run('test', 'BeforeAgent')).stderr).toContain('To consent: castor hooks trust');
    expect(await env.run('trust')).toMatchObject({ code: 0, stdout: expect.stringContaining('BeforeAgent: ./a.sh') });
    expect((await env.run('list')).stdout).toContain('enabled, trusted\n');
    await using untrusted = await open({ files });
    expect((await untrusted.run('trust')).code).toBe(55);
  });

  it('say that a changed hook runs where the run itself is trusted', async () => {
    const files = { '.gemini/settings.json': settings({ BeforeAgent: one('./a.sh') }), 'a.sh': '1' };
    await using env = await open({ files }, TRUSTED);
    await env.run('trust');
    await writeFile(join(env.workspace.project, 'a.sh'), '2');
    expect((await env.run('list')).stdout).toContain(
      'enabled, changed since you consented, and runs because this run is trusted\n',
    );
    expect((await env.run('test', 'BeforeAgent')).stdout).toContain('BeforeAgent\n');
  });

  it('consent to nothing where there is nothing, so that what comes later is asked about', async () => {
    await using env = await open();
    await trustFolder(env.workspace);
    expect((await env.run('trust')).stdout).toContain('This project has no hooks.');
    await env.workspace.write('.gemini/settings.json', settings({ BeforeAgent: one('true') }));
    expect((await env.run('list')).stdout).toContain('new since you consented: does not run');
  });

  it('say that a hook is switched off elsewhere too', async () => {
    const homeFiles = { '.gemini/settings.json': settings({}, { hooksConfig: { disabled: ['h'] } }) };
    const files = {
      '.gemini/settings.json': settings(
        { BeforeAgent: one('true', { name: 'h' }) },
        { hooksConfig: { disabled: ['h'] } },
      ),
    };
    await using env = await open({ homeFiles, files }, TRUSTED);
    expect((await env.run('enable', 'h')).stderr).toContain('still disables it');
  });
});

describe('castor hooks migrate', () => {
  const claude = {
    hooks: {
      PreToolUse: [
        { matcher: 'Bash|Edit|NotebookEdit', hooks: [{ type: 'command', command: './check', timeout: 5 }] },
        { matcher: 'mcp__gh__.*', hooks: [{ type: 'command', command: 'a' }] },
        { matcher: 'mcp__gh__create', hooks: [{ type: 'command', command: 'b' }] },
      ],
      PostToolUse: [{ matcher: 'Write', hooks: [{ type: 'command', command: 'c' }] }],
      UserPromptSubmit: [{ hooks: [{ type: 'command', command: 'd' }] }],
      Stop: [
        {
          matcher: '*',
          hooks: [
            { type: 'command', command: 'e' },
            { type: 'prompt', prompt: 'x' },
          ],
        },
      ],
      SessionStart: [{ matcher: 'startup|resume|compact', hooks: [{ type: 'command', command: 'f' }] }],
      PreCompact: [{ matcher: 'manual', hooks: [{ type: 'command', command: 'g' }] }],
      Notification: [{ matcher: 'idle', hooks: [{ type: 'command', command: 'h' }] }],
      SubagentStop: [{ hooks: [{ type: 'command', command: 'i' }] }],
    },
  };
  const command = (text: string, rest: object = {}) => ({ hooks: [{ type: 'command', command: text, ...rest }] });

  it('takes over what has a counterpart, and says what has none', async () => {
    const files = {
      '.claude/settings.json': JSON.stringify(claude),
      '.gemini/settings.json': '{\n  // mine\n  "ui": {}\n}\n',
    };
    await using env = await open({ files }, TRUSTED);
    const { code, stdout } = await env.run('migrate', '--from-claude');
    const written = await env.workspace.read('.gemini/settings.json');
    expect([code, written.startsWith('{\n  // mine\n  "ui": {},')]).toEqual([0, true]);
    expect(JSON.parse(written.replace('// mine', ''))).toEqual({
      ui: {},
      hooks: {
        BeforeTool: [
          { matcher: '^(run_shell_command|replace)$', ...command('./check', { timeout: 5000 }) },
          { matcher: 'mcp_gh_.*', ...command('a') },
          { matcher: '^mcp_gh_create$', ...command('b') },
        ],
        AfterTool: [{ matcher: '^write_file$', ...command('c') }],
        BeforeAgent: [command('d')],
        AfterAgent: [command('e')],
        SessionStart: [
          { matcher: 'startup', ...command('f') },
          { matcher: 'resume', ...command('f') },
        ],
        PreCompress: [{ matcher: 'manual', ...command('g') }],
        Notification: [command('h')],
      },
    });
    for (const words of [
      'PreToolUse Bash|Edit|NotebookEdit → BeforeTool ^(run_shell_command|replace)$: ./check',
      'Castor has no tool like NotebookEdit.',
      'Stop *: Castor supports only hooks of type "command", not "prompt".',
      'SessionStart never happens for compact.',
      'SubagentStop: Castor has no such event.',
      'check that mcp_gh_.* matches the same tools.',
      'Notification has no matcher in Castor; the hook always runs.',
      '10 hooks written to',
    ]) {
      expect(stdout).toContain(words);
    }
    expect((await env.run('migrate', '--from-claude')).stdout).toContain('No new hooks.');
    expect((await env.run('list')).stdout).not.toContain('does not run');
  });

  it('leaves every comment where it is, also between hooks of the same event', async () => {
    const ours = `{
  // my settings
  "hooks": {
    // my hooks
    "AfterAgent": [
      // my own
      { "hooks": [{ "type": "command", "command": "true" }] } // the first
    ]
  }
}
`;
    const theirs = `{ /* theirs */ "hooks": { "Stop": [{ "hooks": [{ "type": "command", "command": "e" }] }], "constructor": [] } }`;
    const files = { '.claude/settings.json': theirs, '.gemini/settings.json': ours };
    await using env = await open({ files }, TRUSTED);
    const { code, stdout } = await env.run('migrate', '--from-claude');
    expect([code, await env.workspace.read('.gemini/settings.json')]).toEqual([
      0,
      ours.replace(
        '] } // the first\n',
        `] }, // the first
      {
        "hooks": [
          {
            "type": "command",
            "command": "e"
          }
        ]
      }
`,
      ),
    ]);
    expect(stdout).toContain('constructor: Castor has no such event.');
  });

  it('consents to what it took over, and not to what else is new', async () => {
    const stop = { Stop: [{ hooks: [{ type: 'command', command: 'e' }] }] };
    const files = { '.claude/settings.json': settings(stop) };
    await using env = await open({ files });
    await trustFolder(env.workspace);
    await env.run('trust');
    await env.workspace.write('.gemini/settings.json', settings({ BeforeAgent: one('evil') }));
    await env.run('migrate', '--from-claude');
    const listed = JSON.parse((await env.run('list', '--json')).stdout) as { command: string; consent: string }[];
    expect(listed.map((hook) => [hook.command, hook.consent])).toEqual([
      ['evil', 'new'],
      ['e', 'known'],
    ]);
  });

  it('writes nothing on a dry run, and to the person’s own file when asked', async () => {
    const homeFiles = { '.claude/settings.json': JSON.stringify({ hooks: { Stop: claude.hooks.Stop } }) };
    await using env = await open({ homeFiles });
    const path = join(env.workspace.home, '.gemini/settings.json');
    const dry = await env.run('migrate', '--from-claude', '--scope', 'user', '--dry-run');
    expect(dry.stdout).toContain(`1 hook would be written to ${path}.`);
    await expect(readFile(path)).rejects.toMatchObject({ code: 'ENOENT' });
    await env.run('migrate', '--from-claude', '--scope=user');
    expect(JSON.parse(await readFile(path, 'utf8'))).toEqual({ hooks: { AfterAgent: [command('e')] } });
  });

  it.each<[string, Record<string, string>, string]>([
    ['there is nothing', {}, 'no settings of Claude Code in'],
    ['it cannot be read', { '.claude/settings.json': '{' }, '.claude/settings.json'],
    [
      'ours cannot be read',
      { '.claude/settings.json': JSON.stringify(claude), '.gemini/settings.json': '{' },
      'invalid settings',
    ],
  ])('says so when %s', async (_, files, words) => {
    await using env = await open({ files }, TRUSTED);
    const { code, stderr } = await env.run('migrate', '--from-claude');
    expect(code).not.toBe(0);
    expect(stderr).toContain(words);
  });
});
