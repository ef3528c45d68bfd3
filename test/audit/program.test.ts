/** The audit log of the built program: what a run records, what it never records, and what `castor audit` says about it. */

import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { answer, call, createWorkspace, fakeModel, runCli, say } from '@castor/testkit';
import { describe, expect, it } from 'vitest';

type Workspace = Awaited<ReturnType<typeof createWorkspace>>;
type Line = Record<string, unknown> & { kind: string };

const CANARY = 'argumentCanary0815';

function setUp({ home }: Workspace, settings: object): void {
  mkdirSync(join(home, '.gemini'), { recursive: true });
  writeFileSync(join(home, '.gemini', 'settings.json'), JSON.stringify(settings));
}

function logFile({ home }: Workspace): string {
  const folder = join(home, '.gemini', 'audit');
  return join(folder, readdirSync(folder)[0] ?? '');
}

async function audit(workspace: Workspace, ...words: string[]) {
  const result = await runCli(['audit', ...words], { workspace });
  return { ...result, json: () => JSON.parse(result.stdout) as unknown };
}

describe('a run', () => {
  it('records decisions with their rule and connections with their call, without arguments, and detects a change', async () => {
    const hook = `cat > /dev/null; echo '{"decision":"deny","reason":"no"}'`;
    await using workspace = await createWorkspace({ files: { 'a.txt': 'text\n' } });
    await using model = await fakeModel([
      answer(call('read_file', { file_path: 'a.txt' }), call('run_shell_command', { command: `echo ${CANARY}` })),
      answer(call('write_file', { file_path: 'b.txt', content: CANARY }), call('glob', { pattern: `*${CANARY}` })),
      say('done'),
    ]);
    setUp(workspace, {
      tools: { allowed: ['run_shell_command(echo)'] },
      hooks: { BeforeTool: [{ matcher: 'glob', hooks: [{ type: 'command', command: hook }] }] },
    });
    const run = await runCli(['-p', 'go', '--skip-trust', '-o', 'json'], { model, workspace });
    expect([run.stderr, run.code]).toEqual([expect.any(String), 0]);
    const session = (JSON.parse(run.stdout) as { session_id: string }).session_id;

    const shown = await audit(workspace, 'show', '-o', 'json');
    const lines = shown.json() as Line[];
    const url = new URL(model.url);
    const connection = {
      kind: 'connection',
      host: url.hostname,
      port: Number(url.port),
      why: 'model request',
      session,
    };
    const hash = expect.stringMatching(/^[0-9a-f]{64}$/) as string;
    const decisions = lines.filter(({ kind }) => kind === 'decision');
    expect(decisions).toMatchObject([
      { tool: 'read_file', decision: 'allow', approver: 'rule', mode: 'default', session, arguments: hash },
      {
        tool: 'run_shell_command',
        ...{ decision: 'allow', approver: 'rule', rule: 'run_shell_command', source: 'settings: tools.allowed' },
      },
      { tool: 'write_file', decision: 'deny', approver: 'rule', source: 'the tool is not offered' },
      { tool: 'glob', decision: 'deny', approver: 'hook' },
    ]);
    expect(lines.filter(({ kind }) => kind === 'connection')).toMatchObject([connection, connection, connection]);
    expect(lines.at(-1)).toMatchObject({ kind: 'signature' });
    const text = readFileSync(logFile(workspace), 'utf8');
    expect([text.includes(CANARY), text.includes('a.txt')]).toEqual([false, false]);

    const intact = await audit(workspace, 'verify');
    expect([intact.code, intact.stdout]).toEqual([0, expect.stringContaining('The audit log is intact.')]);
    const filtered = await audit(workspace, 'show', '--tool', 'glob', '--session', session.slice(0, 8));
    expect(filtered.stdout.trim().split('\n')).toEqual([expect.stringMatching(/deny {3}glob {2}by hook/)]);
    const exported = await audit(workspace, 'export', '--to', 'log.jsonl');
    expect(exported.code).toBe(0);
    expect((await audit(workspace, 'verify', 'log.jsonl', '-o', 'json')).json()).toMatchObject({ isIntact: true });
    writeFileSync(logFile(workspace), text.replace('"decision":"deny"', '"decision":"allow"'));
    const changed = await audit(workspace, 'verify');
    expect([changed.code, changed.stdout]).toEqual([
      1,
      expect.stringMatching(/NOT intact:\n.+\.jsonl:\d+: The line was/),
    ]);
  });

  it('records nothing where the user turned it off, which a project cannot', { tags: 'wide' }, async () => {
    await using workspace = await createWorkspace({
      files: { '.gemini/settings.json': JSON.stringify({ castor: { audit: { enabled: false } } }) },
    });
    await using model = await fakeModel([say('one'), say('two')]);
    await runCli(['-p', 'go', '--skip-trust'], { model, workspace });
    expect(readFileSync(logFile(workspace), 'utf8').split('\n')).toHaveLength(2);
    setUp(workspace, { castor: { audit: { enabled: false } } });
    await runCli(['-p', 'go', '--skip-trust'], { model, workspace });
    expect(readFileSync(logFile(workspace), 'utf8').split('\n')).toHaveLength(2);
  });

  it('goes on where the log cannot be written, and ends before the first request where it is required', async () => {
    await using workspace = await createWorkspace({});
    setUp(workspace, {});
    writeFileSync(join(workspace.home, '.gemini', 'audit'), 'in the way');
    await using model = await fakeModel([answer(call('glob', { pattern: '*' })), say('fine')]);
    const run = await runCli(['-p', 'go'], { model, workspace });
    expect([run.code, run.stdout.trim(), run.stderr.match(/audit log/g)]).toEqual([0, 'fine', ['audit log']]);
    setUp(workspace, { castor: { audit: { required: true } } });
    const refused = await runCli(['-p', 'go'], { model, workspace });
    expect([refused.code, refused.stderr]).toEqual([52, expect.stringContaining('cannot be written')]);
    expect(model.requests).toHaveLength(2);
  });
});

describe('castor audit', () => {
  it('explains itself, and tells scripts what went wrong', { tags: 'wide' }, async () => {
    await using workspace = await createWorkspace({});
    const help = await audit(workspace, '--help');
    expect([help.code, help.stdout]).toEqual([0, expect.stringContaining('castor audit verify')]);
    const empty = await audit(workspace, 'verify', '-o', 'json');
    expect([empty.code, empty.json()]).toEqual([0, expect.objectContaining({ isIntact: true, lines: 0 })]);
    expect((await audit(workspace, 'verify', 'missing.jsonl')).code).toBe(2);
    expect((await audit(workspace, 'sing')).code).toBe(1);
    expect(existsSync(join(workspace.home, '.gemini', 'audit'))).toBe(false);
  });
});
