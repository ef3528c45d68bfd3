/** Isolated runs over real git repositories: what is applied, merged, kept as a patch, and removed. */

import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { answer, call, createWorkspace, say } from '@castor/testkit';
import type { Step, Workspace } from '@castor/testkit';
import { describe, expect, it } from 'vitest';
import { reasonToSkip } from '../sandbox/sandbox.fixture.ts';
import { agentFile, openSubagents, responseOf, sentText } from './subagents.fixture.ts';

const invoke = answer(call('invoke_agent', { agent_name: 'r', prompt: 'x', isolation: 'worktree' }, { id: 'p' }));
const complete = answer(call('complete_task', { result: 'changed' }, { id: 'done' }));
const write = (path: string, content: string) =>
  answer(call('write_file', { file_path: path, content }, { id: `w-${path}` }));
const homeFiles = { '.gemini/agents/r.md': agentFile('name: r\ndescription: x') };
const LINES = ['one', 'two', 'three', 'four', 'five', 'six', 'seven', ''].join('\n');

const git = ({ project }: Workspace, ...args: string[]) =>
  String(execFileSync('git', ['-c', 'user.name=x', '-c', 'user.email=x', ...args], { cwd: project }));

async function openRepository(): Promise<Workspace> {
  const files = await createWorkspace({ homeFiles, files: { 'a.txt': LINES } });
  git(files, 'init', '-q');
  git(files, 'add', '.');
  git(files, 'commit', '-qm', 'x');
  return files;
}

/** The child writes, then the user's file changes, then the child ends. */
async function run(files: Workspace, fresh: string, meanwhile: string) {
  const change: Step = () => {
    writeFileSync(join(files.project, 'a.txt'), meanwhile);
    return complete;
  };
  await using env = await openSubagents(
    { main: [invoke, say('ok')], r: [write('a.txt', fresh), change] },
    { workspace: files, approvalMode: 'yolo' },
  );
  return String(responseOf(await env.ask('go'), 'p')['output']);
}

/** A run that wrote a file is cut by its limit; `meanwhile` is the project when it is resumed, which no longer names the isolation. */
async function resumeCut(files: Workspace, fresh: string, meanwhile: string) {
  const limited = agentFile('name: r\ndescription: x\nmax_turns: 1');
  writeFileSync(join(files.home, '.gemini/agents/r.md'), limited);
  const env = await openSubagents(
    { main: [invoke, say('ok')], r: [write('a.txt', fresh), say('no result')] },
    { workspace: files, approvalMode: 'yolo' },
  );
  const cut = String(responseOf(await env.ask('go'), 'p')['error']);
  const [, resume = ''] = /resume "([\w-]+)"/.exec(cut) ?? [];
  writeFileSync(join(files.project, 'a.txt'), meanwhile);
  const again = answer(call('invoke_agent', { agent_name: 'r', prompt: 'x', resume }, { id: 'q' }));
  env.play({ main: [again, say('ok')], r: [complete] });
  const response = responseOf(await env.ask('again'), 'q');
  return { env, cut, output: String(response['output'] ?? response['error']) };
}

const reason = await reasonToSkip();

describe('an isolated run', () => {
  it.skipIf(reason !== undefined)(
    `in a sandbox commits, and reaches no branch, tag or stash${reason === undefined ? '' : ` (skipped: ${reason})`}`,
    { tags: 'wide' },
    async () => {
      const made = await createWorkspace({ homeFiles: { ...homeFiles, 'work/a.txt': LINES } });
      // In the home folder, which commands see although it is below /tmp here.
      const files: Workspace = { ...made, project: join(made.home, 'work') };
      for (const line of ['init -q -b main', 'add .', 'commit -qm one', 'commit -q --allow-empty -m two'])
        git(files, ...line.split(' '));
      writeFileSync(join(files.project, 'a.txt'), 'mine');
      git(files, 'stash', '-q');
      const before = git(files, 'for-each-ref');
      const attack = 'git stash drop; git update-ref refs/heads/main HEAD~1; git branch x; git tag x';
      const commit = 'git -c user.name=n -c user.email=e commit -q --allow-empty -m mine && git log --format=in:%s -1';
      const command = answer(call('run_shell_command', { command: `${attack}; ${commit}` }, { id: 's' }));
      await using env = await openSubagents(
        { main: [invoke, say('ok')], r: [command, complete] },
        { workspace: files, approvalMode: 'yolo', sandbox: {} },
      );
      await env.ask('go');
      expect(sentText(env.requestsOf('r').at(-1))).toContain('in:mine');
      expect(git(files, 'for-each-ref')).toBe(before);
    },
  );

  it('that is resumed has its earlier changes again, and hands them over', { tags: 'wide' }, async () => {
    await using files = await openRepository();
    const { env, cut, output } = await resumeCut(files, LINES.replace('one', 'ONE'), LINES.replace('seven', 'SEVEN'));
    await using _env = env;
    expect(cut).toContain('It changed 1 file in its worktree; nothing was applied.');
    expect(output).toContain('Changes: 1 of 1 file applied to the project.');
    expect(await files.read('a.txt')).toBe(LINES.replace('one', 'ONE').replace('seven', 'SEVEN'));
    expect(git(files, 'worktree', 'list').trim().split('\n')).toHaveLength(1);
  });

  it(
    'that is resumed where its earlier changes no longer fit is told so, and they stay as a patch',
    { tags: 'wide' },
    async () => {
      await using files = await openRepository();
      const mine = LINES.replace('one', 'mine');
      const { env, output } = await resumeCut(files, LINES.replace('one', 'theirs'), mine);
      await using _env = env;
      const [, patch = ''] =
        /do not fit the project as it is now[^/]*(\/\S+\.patch)/.exec(sentText(env.requestsOf('r')[0])) ?? [];
      expect(readFileSync(patch, 'utf8')).toContain('+theirs');
      expect(output).toContain('Termination Reason: GOAL');
      expect(await files.read('a.txt')).toBe(mine);
    },
  );

  it('is merged into a file that changed elsewhere meanwhile', { tags: 'wide' }, async () => {
    await using files = await openRepository();
    const output = await run(files, LINES.replace('one', 'ONE'), LINES.replace('seven', 'SEVEN'));
    expect(await files.read('a.txt')).toBe(LINES.replace('one', 'ONE').replace('seven', 'SEVEN'));
    expect(output).toContain('Changes: 1 of 1 file applied to the project.');
    expect(git(files, 'worktree', 'list').trim().split('\n')).toHaveLength(1);
  });

  it('that conflicts leaves the file as it is, and its whole diff as a patch', { tags: 'wide' }, async () => {
    await using files = await openRepository();
    const mine = LINES.replace('one', 'mine');
    const output = await run(files, LINES.replace('one', 'theirs'), mine);
    expect(await files.read('a.txt')).toBe(mine);
    expect(output).toContain('Not applied: a.txt: conflict: the project has changed the same lines meanwhile');
    const [, patch = ''] = /The whole diff is in (\S+) \(git apply takes it\)/.exec(output) ?? [];
    expect(readFileSync(patch, 'utf8')).toContain('+theirs');
  });

  it('tells of a permission to execute, which no edit can apply', { tags: 'wide' }, async () => {
    await using files = await openRepository();
    const command = 'printf x > run.sh && chmod +x run.sh a.txt';
    await using env = await openSubagents(
      {
        main: [invoke, say('ok')],
        r: [answer(call('run_shell_command', { command }, { id: 's' })), complete],
      },
      { workspace: files, approvalMode: 'yolo' },
    );
    const output = String(responseOf(await env.ask('go'), 'p')['output']);
    expect(await files.read('run.sh')).toBe('x');
    for (const name of ['a.txt', 'run.sh']) expect(output).toContain(`(chmod +x ${name})`);
    expect(output).toContain('The whole diff is in ');
  });

  it('asks before its changes are applied, and keeps what the user declines', { tags: 'wide' }, async () => {
    await using files = await openRepository();
    await using env = await openSubagents(
      { main: [invoke, say('ok')], r: [write('a.txt', 'new\n'), complete] },
      { workspace: files },
    );
    const asked: unknown[] = [];
    const events = await env.ask('go', (event) => {
      if (event.type !== 'tool_call_confirmation') return;
      asked.push(event.value.details.title);
      const outcome = asked.length === 1 ? 'proceed_once' : 'cancel';
      env.agent.session.respond(event.value.request.callId, outcome, undefined, event);
    });
    expect(asked).toHaveLength(2);
    expect(await files.read('a.txt')).toBe(LINES);
    expect(responseOf(events, 'p')['output']).toContain('Not applied: a.txt: the user declined it');
  });

  it.each([
    ['without a repository', false, true, 'Isolation needs a git repository'],
    ['in an untrusted folder', true, false, 'A worktree is only made in a trusted folder'],
  ])('%s fails and says why', async (_what, hasRepository, trustedFolder, problem) => {
    await using files = hasRepository ? await openRepository() : await createWorkspace({ homeFiles });
    await using env = await openSubagents(
      { main: [invoke, say('ok')], r: [complete] },
      { workspace: files, trustedFolder },
    );
    expect(String(responseOf(await env.ask('go'), 'p')['error'])).toContain(problem);
  });
});
