import { execFileSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { answer, call, createWorkspace, say } from '@castor/testkit';
import { describe, expect, it } from 'vitest';
import { agentFile, openSubagents, responseOf, toolsOf } from './subagents.fixture.ts';
const invoke = (agent_name: string, prompt = 'Look.', more: Record<string, unknown> = {}, id = 'p') =>
  answer(call('invoke_agent', { agent_name, prompt, ...more }, { id }));
const complete = (result: string) => answer(call('complete_task', { result }, { id: 'done' }));
const look = (id: string) => answer(call('list_directory', { dir_path: '.' }, { id }));
const R = (extra = '') => ({ '.gemini/agents/r.md': agentFile(`name: r\ndescription: x${extra}`) });
describe('a sub-agent', () => {
  it('that reaches its limit of turns has one more to hand in what there is, and its call is an error', async () => {
    await using env = await openSubagents(
      {
        main: [invoke('r'), say('ok')],
        r: [answer(call('list_directory', { dir_path: '.' }, { id: '1' })), complete('half')],
      },
      { homeFiles: R('\nmax_turns: 1') },
    );
    const events = await env.ask('go');
    expect(responseOf(events, 'p')['error']).toMatch(/MAX_TURNS[\s\S]*partial[\s\S]*half/);
    expect(toolsOf(env.requestsOf('r')[1])).toEqual(['complete_task']);
    expect(env.agent.ledger.metrics().agents).toMatchObject({ r: { runs: 1, succeeded: 0, turns: 2 } });
  });
  it.each([
    ['calls another tool there is at its end', [look('2')], 2],
    ['hands in an empty result there may correct it once', [complete(''), complete('half')], 3],
    ['never hands in a valid result is at its end then', [complete(''), complete('')], 3],
  ])('that in its last turn %s', async (_what, last, turns) => {
    await using env = await openSubagents(
      { main: [invoke('r'), say('ok')], r: [look('1'), ...last] },
      { homeFiles: R('\nmax_turns: 1') },
    );
    expect(responseOf(await env.ask('go'), 'p')['error']).toContain(`MAX_TURNS, after ${turns} turns`);
    expect(env.requestsOf('r')).toHaveLength(turns);
  });
  it('that ends without complete_task twice is told as failed', async () => {
    await using env = await openSubagents(
      { main: [invoke('r'), say('ok')], r: [say('forgot'), say('again')] },
      { homeFiles: R() },
    );
    expect(responseOf(await env.ask('go'), 'p')['error']).toContain('ERROR_NO_COMPLETE_TASK_CALL');
  });
  it('of the user is not started in plan mode', async () => {
    await using env = await openSubagents(
      { main: [invoke('r'), say('ok')], r: [] },
      { homeFiles: R(), approvalMode: 'plan' },
    );
    expect(JSON.stringify(responseOf(await env.ask('go'), 'p'))).toMatch(/denied|Plan mode/i);
  });
  it('has no more tools than its parent in a run without a user', async () => {
    await using env = await openSubagents(
      { main: [invoke('r'), say('ok')], r: [complete('x')] },
      { homeFiles: R('\ntools: ["*"]'), interactive: false },
    );
    await env.ask('go');
    expect(toolsOf(env.requestsOf('r')[0])).not.toContain('write_file');
    expect(toolsOf(env.requestsOf('r')[0])).not.toContain('run_shell_command');
  });
  it('asks with its name, and goes on after a no', async () => {
    await using env = await openSubagents(
      {
        main: [invoke('r'), say('ok')],
        r: [answer(call('write_file', { file_path: 'a', content: 'x' }, { id: 'w' })), complete('declined then')],
      },
      { homeFiles: R() },
    );
    const titles: unknown[] = [];
    const events = await env.ask('go', (e) => {
      if (e.type === 'tool_call_confirmation') {
        titles.push(e.value.agent, e.value.details.title);
        env.agent.session.respond(e.value.request.callId, 'cancel', undefined, e);
      }
    });
    expect(titles[0]).toBe('r');
    expect(titles[1]).toMatch(/^Agent r: /);
    expect(responseOf(events, 'p')['output']).toContain('declined then');
  });
  it('waits for its turn where one may run at once', { tags: 'wide' }, async () => {
    const three = answer(...['a', 'b', 'c'].map((id) => call('invoke_agent', { agent_name: 'r', prompt: id }, { id })));
    await using env = await openSubagents(
      { main: [three, say('ok')], r: [complete('1'), complete('2'), complete('3')] },
      { homeFiles: R(), agents: { maxConcurrent: 1 } },
    );
    const events = await env.ask('go');
    expect(['a', 'b', 'c'].map((id) => String(responseOf(events, id)['output']).slice(-1)).sort()).toEqual([
      '1',
      '2',
      '3',
    ]);
  });
  it('that was cut off is known to the resumed parent', async () => {
    await using files = await createWorkspace({ homeFiles: R() });
    const hang = () => new Promise<never>(() => undefined);
    const one = await openSubagents(
      { main: [invoke('r')], r: [answer(call('list_directory', { dir_path: '.' }, { id: '1' })), hang] },
      { workspace: files },
    );
    const controller = new AbortController();
    const seen = Promise.withResolvers<void>();
    void one
      .ask(
        'go',
        (e) => {
          if (e.parentCallId === 'p' && e.type === 'tool_call_response') seen.resolve();
        },
        controller.signal,
      )
      .catch(() => undefined);
    await seen.promise;
    const parentFile = one.session.recorder.path;
    const text = await readFile(parentFile, 'utf8');
    expect(text).toContain('invoke_agent');
    const { toSessionHistory } = await import('../records/session-history.ts');
    const { replaySession } = await import('../records/replay-session.ts');
    const { createChildTeller } = await import('../records/session-children.ts');
    const loaded = replaySession(Buffer.from(text));
    const { openCalls } = toSessionHistory(loaded.messages, {
      childOf: createChildTeller(parentFile, loaded.metadata),
    });
    expect(JSON.stringify(openCalls)).toContain('was cut off by the end of the program');
    controller.abort();
    await one[Symbol.asyncDispose]();
  });
  it('in a worktree of its own hands over its changes, and the worktree goes', async () => {
    await using files = await createWorkspace({ homeFiles: R(), files: { 'a.txt': 'one\n' } });
    const git = (...a: string[]) =>
      execFileSync('git', ['-c', 'user.name=x', '-c', 'user.email=x', ...a], { cwd: files.project });
    for (const step of [
      ['init', '-q'],
      ['add', '.'],
      ['commit', '-qm', 'x'],
    ])
      git(...step);
    await files.write('b.txt', 'untracked\n');
    await using env = await openSubagents(
      {
        main: [invoke('r', 'x', { isolation: 'worktree' }), say('ok')],
        r: [
          answer(
            call('read_file', { file_path: 'b.txt' }, { id: '0' }),
            call('write_file', { file_path: 'a.txt', content: 'two\n' }, { id: '1' }),
            call('write_file', { file_path: 'new.txt', content: 'n\n' }, { id: '2' }),
          ),
          complete('changed'),
        ],
      },
      { workspace: files, approvalMode: 'yolo' },
    );
    await env.ask('go');
    expect(await files.read('a.txt')).toBe('two\n');
    expect(await files.read('new.txt')).toBe('n\n');
    expect(String(git('worktree', 'list')).trim().split('\n')).toHaveLength(1);
  });
});
