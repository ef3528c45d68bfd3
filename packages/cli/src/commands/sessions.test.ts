import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { resolveProjectDirectory } from '@castor/core/program';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { relativeTime } from './sessions-list-text.ts';
import { runSessionsCommand } from './sessions.ts';

const SESSION = [
  { sessionId: 'one-1', startTime: '2026-01-01T00:00:00.000Z', kind: 'main' },
  {
    id: 'u1',
    timestamp: '2026-01-01T00:00:00.000Z',
    type: 'user',
    content: [{ text: 'Read it\nand say' }],
    prompt_id: 'p',
  },
  {
    id: 'g1',
    type: 'gemini',
    prompt_id: 'p',
    content: [{ text: 'Reading.\n' }, { functionCall: { id: 'c1', name: 'read_file', args: { file_path: 'a' } } }],
  },
  {
    id: 'r1',
    type: 'user',
    content: [{ functionResponse: { id: 'c1', name: 'read_file', response: { output: 'one\ntwo' } } }],
    call: { id: 'c1', status: 'success', resultDisplay: '' },
  },
  {
    id: 'g2',
    timestamp: '2026-01-01T00:00:02.000Z',
    type: 'gemini',
    content: [{ text: 'Two lines.' }],
    prompt_id: 'p',
  },
];

describe('castor sessions', () => {
  let home: string;
  let path: string;
  beforeEach(async () => {
    home = await mkdtemp(join(tmpdir(), 'castor-sessions-'));
    const chats = join(await resolveProjectDirectory({ home, root: '/app' }), 'chats');
    await mkdir(chats);
    path = join(chats, 'session-2026-01-01T00-00-one-1.jsonl');
    await writeFile(path, SESSION.map((record) => JSON.stringify(record)).join('\n'));
  });
  afterEach(() => rm(home, { recursive: true }));

  const run = async (...args: string[]) => {
    const said = { stdout: '', stderr: '' };
    const output = {
      answer: (text: string) => void (said.stdout += text),
      note: (text: string) => void (said.stderr += text),
    };
    return { code: await runSessionsCommand(args, { output, cwd: '/app', home }), ...said };
  };

  it('shows what was said and done', async () => {
    expect(await run('show', '1')).toEqual({
      code: 0,
      stderr: '',
      stdout: '> Read it\n> and say\n\nReading.\n\n[ReadFile] a\n\n  one\n  two\n\nTwo lines.\n',
    });
    expect(JSON.parse((await run('show', 'latest', '--json')).stdout)).toMatchObject({ id: 'one-1', path });
  });

  it('lists as JSON, finds words, says where a session is, and removes it', async () => {
    const startTime = '2026-01-01T00:00:00.000Z';
    expect(JSON.parse((await run('list', '--json')).stdout)).toEqual([
      { id: 'one-1', title: 'Read it and say', startTime, lastUpdated: '2026-01-01T00:00:02.000Z', path },
    ]);
    expect((await run('search', 'TWO lines')).stdout).toContain('[one-1]\n  in /app\n  Two lines.\n');
    expect([(await run('path', 'one-1')).stdout, (await run('path')).stdout]).toEqual([
      `${path}\n`,
      `${join(path, '..')}\n`,
    ]);
    expect((await run('delete', 'one-1')).stdout).toBe('Deleted session: Read it and say [one-1]\n');
    expect(await run('show')).toMatchObject({
      code: 1,
      stderr: 'castor: No previous sessions found for this project.',
    });
  });

  it.each([
    [['fly'], /^unknown command castor sessions "fly"\.\n\nUsage:/],
    [['toString'], /unknown command/],
    [['list', 'x'], /^Usage:/],
    [['search'], /^Usage:/],
    [['search', 'x', '--limit', 'many'], /^--limit needs a whole number above 0\./],
    [['show', '--yaml'], /^--yaml is an unknown option of castor sessions\./],
    [['delete', '../one-1'], /Invalid session "\.\.\/one-1"/],
  ])('refuses %j', async (args, message) => {
    expect(await run(...args)).toEqual({ code: 1, stdout: '', stderr: expect.stringMatching(message) as string });
  });
});

describe('relativeTime', () => {
  it.each([
    [59, 'Just now'],
    [-5, 'Just now'],
    [60, '1 minute ago'],
    [3599, '59 minutes ago'],
    [3600, '1 hour ago'],
    [86_400, '1 day ago'],
    [864_000, '10 days ago'],
  ])('%d seconds are %s', (seconds, text) => {
    expect(relativeTime(0, seconds * 1000)).toBe(text);
  });
});
