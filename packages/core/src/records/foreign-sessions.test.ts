import { mkdir, writeFile } from 'node:fs/promises';
import { createWorkspace } from '@castor/testkit';
import { describe, expect, it } from 'vitest';
import { assertLegalConversation } from '../chat/legality.ts';
import type { Content } from '../protocol/content.ts';
import {
  findForeignSession,
  listForeignSessions,
  readForeignHistory,
  searchForeignSessions,
} from './foreign-sessions.ts';
import { openSession } from './open-session.ts';
import { readClaudeSession } from './read-claude-session.ts';
import { readCodexSession } from './read-codex-session.ts';

const jsonl = (lines: readonly object[]) => `${lines.map((line) => JSON.stringify(line)).join('\n')}\n`;
const SESSION = '84a7e050-4ff6-4264-865b-baf9d561bba3';

const base = (cwd: string) => ({
  cwd,
  sessionId: SESSION,
  version: '2.1.42',
  isSidechain: false,
  userType: 'external',
});
const claude = (cwd: string) => [
  { type: 'summary', summary: 'Fix the cart', leafUuid: 'l' },
  { type: 'file-history-snapshot', messageId: 'm', snapshot: {} },
  { ...base(cwd), type: 'user', isMeta: true, message: { role: 'user', content: 'Caveat: …' } },
  { ...base(cwd), type: 'user', message: { role: 'user', content: '<command-name>/clear</command-name>' } },
  { ...base(cwd), type: 'user', uuid: 'u1', message: { role: 'user', content: 'Why is the total wrong?' } },
  {
    ...base(cwd),
    type: 'assistant',
    message: { role: 'assistant', content: [{ type: 'thinking', thinking: 'hm', signature: 's' }] },
  },
  { ...base(cwd), type: 'assistant', message: { role: 'assistant', content: [{ type: 'text', text: 'I look.' }] } },
  {
    ...base(cwd),
    type: 'assistant',
    message: { content: [{ type: 'tool_use', id: 't1', name: 'Bash', input: { command: 'ls', description: 'd' } }] },
  },
  {
    ...base(cwd),
    type: 'assistant',
    message: { content: [{ type: 'tool_use', id: 't2', name: 'mcp__db__query', input: { sql: 'select 1' } }] },
  },
  {
    ...base(cwd),
    type: 'user',
    message: { content: [{ type: 'tool_result', tool_use_id: 't2', content: [{ type: 'text', text: '1' }] }] },
  },
  {
    ...base(cwd),
    type: 'user',
    message: { content: [{ type: 'tool_result', tool_use_id: 't1', content: 'cart.ts' }] },
  },
  { ...base(cwd), isSidechain: true, type: 'assistant', message: { content: [{ type: 'text', text: 'sub-agent' }] } },
  { ...base(cwd), type: 'assistant', message: { content: [{ type: 'text', text: 'The cart rounds twice.' }] } },
];

const codex = (cwd: string) => [
  { timestamp: 't', type: 'session_meta', payload: { id: '01995d63-c8ce-7050', cwd, cli_version: '0.65.0' } },
  { type: 'turn_context', payload: { model: 'm' } },
  item({ type: 'message', role: 'user', content: [{ type: 'input_text', text: '<environment_context>x' }] }),
  item({ type: 'message', role: 'user', content: [{ type: 'input_text', text: 'List the files' }] }),
  item({ type: 'reasoning', summary: [], encrypted_content: 'e' }),
  item({ type: 'function_call', name: 'shell', call_id: 'c1', arguments: '{"command":["bash","-lc","ls"]}' }),
  item({ type: 'function_call_output', call_id: 'c1', output: '{"output":"a.ts","metadata":{"exit_code":0}}' }),
  item({ type: 'custom_tool_call', name: 'apply_patch', call_id: 'c2', input: '*** Begin Patch' }),
  { type: 'event_msg', payload: { type: 'agent_message', message: 'Two files.' } },
  item({ type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Two files.' }] }),
];

function item(payload: object) {
  return { timestamp: 't', type: 'response_item', payload };
}

const call = (id: string, name: string, args: object) => ({ functionCall: { id, name, args } });
const response = (id: string, name: string, value: object) => ({ functionResponse: { id, name, response: value } });

function expectLegal(history: Content[]): void {
  const closed =
    history.at(-1)?.role === 'model' ? [...history, { role: 'user', parts: [{ text: 'Go on.' }] }] : history;
  assertLegalConversation(closed);
}

describe('a session of Claude Code', () => {
  it('becomes a legal history: calls with their results, without thinking, sub-agents and notes of the program', () => {
    const history = readClaudeSession(claude('/p'));
    expect(history).toEqual([
      { role: 'user', parts: [{ text: 'Why is the total wrong?' }] },
      {
        role: 'model',
        parts: [
          { text: 'I look.' },
          call('t1', 'run_shell_command', { command: 'ls', description: 'd' }),
          call('t2', 'mcp__db__query', { sql: 'select 1' }),
        ],
      },
      {
        role: 'user',
        parts: [
          response('t1', 'run_shell_command', { output: 'cart.ts' }),
          response('t2', 'mcp__db__query', { output: '1' }),
        ],
      },
      { role: 'model', parts: [{ text: 'The cart rounds twice.' }] },
    ]);
    expectLegal(history);
  });

  it('continues from its last summary, and answers an interrupted call', () => {
    const lines = [
      ...claude('/p'),
      { type: 'user', isCompactSummary: true, message: { content: 'Summary so far.' } },
      {
        type: 'assistant',
        message: { content: [{ type: 'tool_use', id: 't9', name: 'Read', input: { file_path: 'a' } }] },
      },
    ];
    const history = readClaudeSession(lines);
    expect(history[0]).toEqual({ role: 'user', parts: [{ text: 'Summary so far.' }] });
    expect(history.at(-1)?.parts?.[0]?.functionResponse?.response).toEqual({
      error: expect.stringContaining('not known'),
      status: 'unknown',
    });
    expectLegal(history);
  });
});

it('of another agent is resumed with what is known of the calls of its last turn', async () => {
  await using folders = await createWorkspace({ homeFiles: { '.claude/projects/-p/x.jsonl': '' } });
  const { home, project: root } = folders;
  const use = (id: string) => ({ type: 'tool_use', id, name: 'Bash', input: { command: id } });
  const done = (id: string, more = {}) => ({ type: 'tool_result', tool_use_id: id, content: [{ text: id }], ...more });
  const lines = [
    { type: 'user', cwd: root, sessionId: SESSION, message: { content: 'Go.' } },
    { type: 'assistant', message: { content: [use('ok'), use('failed'), use('cut')] } },
    { type: 'user', message: { content: [done('ok'), done('failed', { is_error: true })] } },
  ];
  await writeFile(`${home}/.claude/projects/-p/x.jsonl`, jsonl(lines));
  const session = await openSession({ home, root, resume: 'claude:latest' });
  session.recorder.close();
  expect(session.notices.slice(1)).toEqual([
    expect.stringContaining('The call Shell ok had finished'),
    expect.stringContaining('The call Shell failed had finished'),
    expect.stringContaining('The call Shell cut was running: its effect is unknown'),
  ]);
  const [, , results] = session.history;
  expect(results?.parts?.map(({ functionResponse }) => functionResponse?.response)).toEqual([
    { output: 'ok' },
    { error: 'failed' },
    { error: expect.any(String), status: 'unknown' },
  ]);
});

describe('a session of codex', () => {
  it('becomes a legal history, in an envelope or without', () => {
    const history = readCodexSession(codex('/p'));
    expect(history.map(({ role }) => role)).toEqual(
      ['user', 'model', 'user', 'model', 'user', 'model'].slice(0, history.length),
    );
    expect(JSON.stringify(history)).toContain('"output":"a.ts"');
    expect(history[1]?.parts?.[0]).toEqual(call('c1', 'run_shell_command', { command: 'ls' }));
    expectLegal(history);
    const bare = codex('/p').flatMap(({ type, payload }) => (type === 'response_item' ? [payload as object] : []));
    expect(readCodexSession([{ id: 'x', timestamp: 't' }, ...bare] as never)).toEqual(history);
  });

  it('continues from a compaction', () => {
    const lines = [...codex('/p'), { type: 'compacted', payload: { message: 'Short.' } }];
    expect(readCodexSession(lines)).toEqual([{ role: 'user', parts: [{ text: 'Short.' }] }]);
  });
});

describe('the sessions of other agents', () => {
  async function open() {
    const folders = await createWorkspace();
    const { project, home } = folders;
    const write = async (path: string, text: string) => {
      await mkdir(`${home}/${path}`.replace(/\/[^/]*$/, ''), { recursive: true });
      await writeFile(`${home}/${path}`, text);
    };
    await write(`.claude/projects/-p/${SESSION}.jsonl`, `${jsonl(claude(project))}{"cut`);
    await write('.claude/projects/-p/agent-1.jsonl', jsonl(claude(project)));
    await write('.claude/projects/-p/empty.jsonl', jsonl([{ type: 'summary', leafUuid: 'x' }]));
    await write(
      '.codex/sessions/2026/11/16/rollout-2026-11-16T10-00-00-01995d63-c8ce-7050.jsonl',
      jsonl(codex(project)),
    );
    await write('.codex/sessions/2026/11/16/rollout-2026-11-16T11-00-00-other.jsonl', jsonl(codex('/elsewhere')));
    return folders;
  }

  it('are listed for the folder, and found by number, id and latest', async () => {
    await using folders = await open();
    const { home, project } = folders;
    expect(listForeignSessions('claude', home, project)).toMatchObject([
      { agent: 'claude', id: SESSION, title: 'Fix the cart', root: project },
    ]);
    expect(listForeignSessions('codex', home, project)).toMatchObject([
      { id: '01995d63-c8ce-7050', title: 'List the files' },
    ]);
    expect(listForeignSessions('codex', home)).toHaveLength(2);
    const where = { home, root: project };
    for (const wanted of ['latest', '1', SESSION, SESSION.slice(0, 8)]) {
      expect(findForeignSession('claude', wanted, where).id).toBe(SESSION);
    }
    expect(() => findForeignSession('claude', 'nothing', where)).toThrow('Invalid session identifier "claude:nothing"');
    expect(() => findForeignSession('claude', 'latest', { home, root: '/x' })).toThrow('no session of claude');
  });

  it('are searched in what was said, called and answered', async () => {
    await using folders = await open();
    const search = (words: string[]) => searchForeignSessions('claude', { home: folders.home, words, limit: 5 });
    expect(search(['ROUNDS', 'cart'])).toMatchObject([
      { id: SESSION, excerpt: expect.stringContaining('rounds twice') },
    ]);
    // A result is found and shown by its words, as in a session of our own.
    expect(search(['select'])).toMatchObject([{ excerpt: expect.stringContaining('select 1 cart.ts 1 The cart') }]);
    expect(search(['cart.ts'])).toHaveLength(1);
    expect(search(['nowhere'])).toEqual([]);
  });

  it.each(['claude:latest', 'codex:1'])('are resumed with %s as a session of our own', async (resume) => {
    await using folders = await open();
    const { home, project: root } = folders;
    const session = await openSession({ home, root, resume });
    session.recorder.close();
    const agent = resume.startsWith('claude') ? 'claude' : 'codex';
    const expected = readForeignHistory(findForeignSession(agent, 'latest', { home, root }));
    expect(session.history).toEqual(expected);
    expect(session.sessionId).not.toBe(SESSION);
    expectLegal([...session.history]);
  });
});
