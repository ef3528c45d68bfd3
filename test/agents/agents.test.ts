/** Sub-agents in the built program, without a screen: what scripts see, what a kill leaves, what a project may bring. */

import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { answer, call, createWorkspace, fakeModel, runCli, say, startCli } from '@castor/testkit';
import type { ModelRequest, Step, Workspace } from '@castor/testkit';
import { describe, expect, it } from 'vitest';
import { variants } from '../house/variants.ts';

const file = (name: string, more = '') =>
  `---\nname: ${name}\ndescription: Does ${name}.${more}\n---\nYou are careful.\n`;
const invoke = (agent_name: string, id = 'p', prompt = 'Look.') => call('invoke_agent', { agent_name, prompt }, { id });
const complete = (result: string) => answer(call('complete_task', { result }, { id: 'done' }));
const look = answer(call('list_directory', { dir_path: '.' }, { id: 'l' }));

const instructionOf = ({ body }: ModelRequest) =>
  JSON.stringify((body as { systemInstruction?: unknown }).systemInstruction ?? '');
const contentsOf = (request: ModelRequest | undefined) =>
  JSON.stringify((request?.body as { contents?: unknown }).contents);

type Scripts = Readonly<Record<string, readonly Step[]>>;

/** Each agent follows its own script; `main` is the session. */
async function model(scripts: Scripts) {
  const seen = new Map<string, ModelRequest[]>();
  const server = await fakeModel((request) => {
    const name = /You are the sub-agent ([\w-]+)\./.exec(instructionOf(request))?.[1] ?? 'main';
    const before = seen.get(name) ?? [];
    seen.set(name, [...before, request]);
    return scripts[name]?.[before.length] ?? say(`No step ${before.length} for ${name}.`);
  });
  return Object.assign(server, { of: (name: string) => seen.get(name) ?? [] });
}

const linesOf = (stdout: string) =>
  stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);

function chatsOf({ home }: Workspace): string {
  const projects = join(home, '.gemini', 'tmp');
  const [project = ''] = readdirSync(projects).filter((name) => existsSync(join(projects, name, 'chats')));
  return join(projects, project, 'chats');
}

describe('a sub-agent in a run without a screen', () => {
  it('is told in stream-json as events of its call, counted apart, and shown by castor sessions show', async () => {
    await using workspace = await createWorkspace({ homeFiles: { '.gemini/agents/r.md': file('r') } });
    await using server = await model({ main: [answer(invoke('r')), say('Done.')], r: [look, complete('Found it.')] });
    const ran = await runCli(['-p', 'go', '-o', 'stream-json'], { workspace, model: server });
    expect(ran.code).toBe(0);
    const lines = linesOf(ran.stdout);
    const events = lines.filter(({ type }) => type === 'agent_event');
    expect(events.length).toBeGreaterThan(2);
    expect(new Set(events.map((line) => line['parent_tool_id']))).toEqual(new Set(['p']));
    // No reader takes the words of an agent for the answer.
    const said = lines
      .filter(({ type, role }) => type === 'message' && role === 'assistant')
      .map(({ content }) => content);
    expect(said.join('')).toBe('Done.');
    const result = lines.at(-1) as { stats?: { agents?: unknown } };
    expect(result.stats?.agents).toMatchObject({ r: { runs: 1, succeeded: 1, turns: 2, requests: 2 } });
    const shown = await runCli(['sessions', 'show', 'latest'], { workspace });
    expect(shown.stdout).toMatch(/r-[\da-f]{8}/);
    const id = /r-[\da-f]{8}/.exec(shown.stdout)![0];
    expect((await runCli(['sessions', 'show', id], { workspace })).stdout).toMatch(
      /^> Look\.\n\n\[ReadFolder\][^]*Hands in the result[^]*\n\nFound it\.\n$/,
    );
    expect((await runCli(['sessions', 'list'], { workspace })).stdout).toContain('(1)');
  });

  it('has its edits and commands undone with the prompt of its parent', { tags: 'wide' }, async () => {
    await using workspace = await createWorkspace({
      files: { 'a.txt': 'one\n' },
      homeFiles: { '.gemini/agents/r.md': file('r') },
    });
    const work = answer(
      call('write_file', { file_path: 'a.txt', content: 'two\n' }, { id: 'w' }),
      call('run_shell_command', { command: 'echo x > made.txt' }, { id: 's' }),
    );
    await using server = await model({ main: [answer(invoke('r')), say('Done.')], r: [work, complete('Did it.')] });
    expect(await runCli(['-p', 'go', '-y'], { workspace, model: server })).toMatchObject({ code: 0 });
    const made = join(workspace.project, 'made.txt');
    expect([await workspace.read('a.txt'), existsSync(made)]).toEqual(['two\n', true]);
    const { stdout } = await runCli(['undo', '--yes'], { workspace });
    expect(stdout).toContain('Undone: 2 paths, verified.');
    expect([await workspace.read('a.txt'), existsSync(made)]).toEqual(['one\n', false]);
  });

  it('of a project is enabled by the flag, for the content it had', { tags: 'wide' }, async () => {
    await using workspace = await createWorkspace({ files: { '.gemini/agents/r.md': file('r') } });
    const run = async (...flags: string[]) => {
      await using server = await model({ main: [answer(invoke('r')), say('Done.')], r: [complete('x')] });
      const { stderr } = await runCli(['-p', 'go', '--skip-trust', ...flags], { workspace, model: server });
      return { stderr, hasRun: server.of('r').length > 0 };
    };
    const before = await run();
    expect(before.hasRun).toBe(false);
    expect(before.stderr).toMatch(/New Agents Discovered in this project, not enabled: r\..*--acknowledge-agents/);
    const accepting = await run('--acknowledge-agents');
    expect(accepting.hasRun).toBe(true);
    expect(accepting.stderr).toContain('Agents of this project, acknowledged: r.');
    const known = await run();
    expect([known.hasRun, known.stderr]).toEqual([true, expect.not.stringContaining('New Agents')]);
    await workspace.write('.gemini/agents/r.md', `${file('r')}Changed.`);
    expect((await run()).hasRun).toBe(false);
  });

  it('of an untrusted project does not exist, whatever the flag says', async () => {
    const trust = (home: string, project: string) => ({ [project]: 'DO_NOT_TRUST', [home]: 'DO_NOT_TRUST' });
    await using workspace = await createWorkspace({
      files: { '.gemini/agents/r.md': file('r') },
      homeFiles: { '.gemini/settings.json': '{"security":{"folderTrust":{"enabled":true}}}' },
    });
    const { home, project } = workspace;
    writeFileSync(join(home, '.gemini', 'trustedFolders.json'), JSON.stringify(trust(home, project)));
    await using server = await model({ main: [answer(invoke('r')), say('Done.')], r: [complete('x')] });
    const { stderr } = await runCli(['-p', 'go', '--acknowledge-agents'], { workspace, model: server });
    expect(server.of('r')).toEqual([]);
    expect(stderr).toContain('is not trusted');
  });

  it('is chosen by @name', async () => {
    await using workspace = await createWorkspace({ homeFiles: { '.gemini/agents/r.md': file('r') } });
    await using server = await model({ main: [say('ok')] });
    await runCli(['-p', 'Check the code @r please'], { workspace, model: server });
    expect(contentsOf(server.of('main')[0])).toMatch(/<system_note>[^<]*\br\b[^<]*invoke_agent/);
  });

  it('that answers questions about Castor reads our own pages, without a network', { tags: 'wide' }, async () => {
    await using workspace = await createWorkspace();
    const docs = (path?: string) =>
      answer(call('get_internal_docs', path === undefined ? {} : { path }, { id: `d${path}` }));
    const report = { answer: 'Use castor extensions install.', sources: ['extensions.md'] };
    await using server = await model({
      main: [answer(invoke('cli_help', 'p', 'How do I install an extension?')), say('Done.')],
      cli_help: [
        docs(),
        docs('extensions.md'),
        docs('../package.json'),
        answer(call('complete_task', { report }, { id: 'e' })),
      ],
    });
    const ran = await runCli(['-p', 'go'], { workspace, model: server });
    expect(ran.code).toBe(0);
    const [, list, page, outside] = server.of('cli_help').map(contentsOf);
    expect(list).toContain('- extensions.md: Extensions');
    expect(page).toContain('castor extensions install https://github.com/owner/repo');
    expect(outside).toContain('There is no page');
    expect(contentsOf(server.of('main')[1])).toContain('**Sources:**\\n- extensions.md');
  });

  variants.each([
    ['--max-tokens', '60'],
    ['--max-turns', '3'],
  ])('spends from the budget of the run: %s', async (flag, limit) => {
    await using workspace = await createWorkspace({ homeFiles: { '.gemini/agents/r.md': file('r') } });
    const steps = Array.from({ length: 9 }, (_, index) =>
      answer(call('list_directory', { dir_path: '.' }, { id: `l${index}` })),
    );
    await using server = await model({ main: [answer(invoke('r')), say('Done.')], r: steps });
    const ran = await runCli(['-p', 'go', '-o', 'json', flag, limit], { workspace, model: server });
    expect(ran.stderr + ran.stdout).not.toContain('unknown');
    expect(server.of('r').length).toBeLessThan(9);
    expect(ran.code).not.toBe(0);
  });
});

describe('a program that is killed with three children at work', () => {
  it(
    'leaves three sessions that are told to the resumed parent, and the next run leaves no worktree',
    { tags: 'wide' },
    async () => {
      await using workspace = await createWorkspace({
        homeFiles: { '.gemini/agents/r.md': file('r') },
      });
      const git = (...words: string[]) =>
        execFileSync('git', words, { cwd: workspace.project, stdio: 'pipe' }).toString();
      git('init', '-q');
      git('-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '-q', '--allow-empty', '-m', 'x');
      const isolated = call('invoke_agent', { agent_name: 'r', prompt: 'three', isolation: 'worktree' }, { id: 'c' });
      const reached = Promise.withResolvers<void>();
      let waiting = 0;
      /** Each child looks once, in whatever order they come. */
      const lookOnce: Step = (request) => {
        if (!contentsOf(request).includes('functionResponse')) return look;
        waiting += 1;
        if (waiting === 3) reached.resolve();
        return new Promise<never>(() => undefined);
      };
      await using server = await model({
        main: [answer(invoke('r', 'a', 'one'), invoke('r', 'b', 'two'), isolated)],
        r: Array.from({ length: 6 }, () => lookOnce),
      });
      const cli = await startCli(['-p', 'go', '--skip-trust'], { workspace, model: server });
      await reached.promise;
      const live = (await runCli(['sessions', 'show', 'latest'], { workspace })).stdout;
      expect(live.match(/agent r is running after 1 turn/g)).toHaveLength(3);
      expect(live).toMatch(/\(The session is running\.\)\n$/);
      expect(live).not.toMatch(/cut off|The program stopped/);
      cli.kill('SIGKILL');
      await cli.done;
      const chats = chatsOf(workspace);
      const [parent = ''] = readdirSync(chats, { withFileTypes: true })
        .filter((entry) => entry.isDirectory())
        .map(({ name }) => name);
      const records = readdirSync(join(chats, parent)).filter((name) => name.endsWith('.jsonl'));
      expect(records).toHaveLength(3);
      for (const name of records)
        for (const line of readFileSync(join(chats, parent, name), 'utf8')
          .trim()
          .split('\n'))
          JSON.parse(line);
      await using next = await model({ main: [say('Going on.')] });
      const resumed = await runCli(['--resume', 'latest', '-p', 'go on'], { workspace, model: next });
      expect([resumed.code, resumed.stdout]).toEqual([0, 'Going on.\n']);
      expect(git('worktree', 'list').trim().split('\n')).toHaveLength(1);
      const told = contentsOf(next.of('main')[0]);
      expect(told.match(/Subagent 'r' was cut off by the end of the program, after 1 turn/g)).toHaveLength(3);
      expect(told.match(/Its last calls, whose effects remain/g)).toHaveLength(2);
      expect(told.match(/Its last calls, in a worktree of its own, from which nothing was applied/g)).toHaveLength(1);
      for (const name of records) expect(told).toContain(`resume \\"${name.replace('.jsonl', '')}\\"`);
      expect(
        (await runCli(['sessions', 'show', 'latest'], { workspace })).stdout.match(/r-[\da-f]{8}/g)?.length,
      ).toBeGreaterThanOrEqual(3);
    },
  );
});
