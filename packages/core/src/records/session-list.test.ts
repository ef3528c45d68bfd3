import { lutimes, mkdir, mkdtemp, readdir, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createFakeClock } from '@castor/testkit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { resolveProjectDirectory } from '../config/project-registry.ts';
import { sha256 } from '../util/sha256.ts';
import { deleteSession } from './session-delete.ts';
import { findSession } from './session-find.ts';
import { listSessions } from './session-list.ts';
import { acquireLock } from './session-lock.ts';
import { cleanUpSessions } from './session-retention.ts';
import type { SessionRetention } from './session-retention.ts';
import { searchSessions } from './session-search.ts';

const DAY = 86_400;
const NOW = Date.UTC(2026, 5, 1) / 1000;

let home: string;
let chats: string;
const root = '/work/app';
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'castor-list-'));
  chats = join(await resolveProjectDirectory({ home, root }), 'chats');
  await mkdir(chats, { recursive: true });
});
afterEach(() => rm(home, { recursive: true }));

const message = (type: string, content: unknown, rest: object = {}) => ({
  id: `${Math.random()}`,
  type,
  content,
  ...rest,
});
const at = (ageDays: number) => new Date((NOW - ageDays * DAY) * 1000).toISOString();

async function write(
  id: string,
  records: readonly object[],
  { ageDays = 0, folder = chats, header = {} }: { ageDays?: number; folder?: string; header?: object } = {},
): Promise<string> {
  const path = join(folder, `session-2026-01-01T00-00-${id.slice(0, 8)}.jsonl`);
  const first = { sessionId: id, startTime: at(ageDays), kind: 'main', ...header };
  await mkdir(folder, { recursive: true });
  await writeFile(path, [first, ...records].map((record) => `${JSON.stringify(record)}\n`).join(''));
  await utimes(path, NOW - ageDays * DAY, NOW - ageDays * DAY);
  return path;
}

describe('listSessions', () => {
  it('gives those that are worth it, oldest first, with what they are about', async () => {
    const long = 'x'.repeat(200_000);
    await write('new-0001', [message('user', '/help'), message('user', 'Fix the\n  “build” please')], { ageDays: 1 });
    await write('old-0001', [message('user', [{ text: `Sum up: ${long}` }]), message('gemini', 'Long.')], {
      ageDays: 9,
    });
    await write('sum-0001', [message('user', 'Hello'), { $set: { summary: 'A greeting' } }], { ageDays: 5 });
    const display = { call: { id: 'c', status: 'success', resultDisplay: { summary: 'No title' } } };
    await write('dis-0001', [message('user', 'Hm'), message('user', 'r', display)], { ageDays: 6 });
    await write('jap-0001', [message('user', '直して')], { ageDays: 4 });
    await write('tail0001', [message('user', 'Hi'), message('gemini', long), { $set: { summary: 'Late "sum"' } }], {
      ageDays: 3,
    });
    await write('only-cmd', [message('user', '/quit'), message('info', 'Bye')]);
    await write('took-bck', [{ ...message('user', 'Oops'), id: 'u' }, { $rewindTo: 'u' }]);
    await write('sub-0001', [message('user', 'Look')], { header: { kind: 'subagent' } });
    await writeFile(join(chats, 'session-2026-01-01T00-00-broken00.jsonl'), '{"sessionId":"brok');
    await mkdir(join(chats, 'session-2026-01-01T00-00-folder00.jsonl'));
    const listed = await listSessions({ home, root });
    expect(listed.map(({ id, title }) => [id, title])).toEqual([
      ['old-0001', `Sum up: ${'x'.repeat(89)}...`],
      ['dis-0001', 'Hm'],
      ['sum-0001', 'A greeting'],
      ['jap-0001', '直して'],
      ['tail0001', 'Late "sum"'],
      ['new-0001', 'Fix the build please'],
    ]);
    expect(listed.map(({ lastUpdated }) => lastUpdated / 1000)).toEqual(
      [9, 6, 5, 4, 3, 1].map((age) => NOW - age * DAY),
    );
  });

  it('gives a session in which a person only ran a command of their own', async () => {
    const aside = (text: string) => message('user', [{ text }], { isAside: true });
    await write('aside001', [
      aside('<hook_context>Be kind.</hook_context>'),
      aside('I ran the following shell command:\n```sh\nls -l\n```\n'),
    ]);
    await write('hooks001', [aside('<hook_context>Be kind.</hook_context>')]);
    const listed = await listSessions({ home, root });
    expect(listed.map(({ id, title }) => [id, title])).toEqual([['aside001', '!ls -l']]);
  });

  it('finds sessions of older versions, and takes the newer file of a session', async () => {
    const older = join(home, '.gemini', 'tmp', sha256(root), 'chats');
    await write('twice001', [message('user', 'First')], { ageDays: 8, folder: older });
    await write('twice001', [message('user', 'First'), message('gemini', 'More')], { ageDays: 2 });
    await write('older001', [message('user', 'Ancient')], { ageDays: 7, folder: older });
    const listed = await listSessions({ home, root });
    expect(listed.map(({ id, path }) => [id, path.startsWith(older)])).toEqual([
      ['older001', true],
      ['twice001', false],
    ]);
  });

  it('knows when a session of the old format was used', async () => {
    const session = { sessionId: 'lega0001', startTime: at(3), lastUpdated: at(2), messages: [message('user', 'Hi')] };
    await writeFile(join(chats, 'session-2026-01-01T00-00-lega0001.json'), JSON.stringify(session, null, 2));
    const [listed] = await listSessions({ home, root });
    expect([listed?.startTime, listed?.lastUpdated]).toEqual([3, 2].map((age) => (NOW - age * DAY) * 1000));
  });

  it('knows the session used last, not the one begun last', async () => {
    const path = await write('begun-01', [message('user', 'First')], { ageDays: 8 });
    await write('begun-02', [message('user', 'Second')], { ageDays: 3 });
    await utimes(path, NOW, NOW);
    expect((await findSession('latest', { home, root }))?.id).toBe('begun-01');
    expect((await findSession('2', { home, root }))?.id).toBe('begun-02');
    expect((await findSession('begun-02', { home, root }))?.id).toBe('begun-02');
    await expect(findSession('begun-', { home, root })).rejects.toThrow('Session "begun-" is ambiguous: begun-');
  });
});

describe('deleteSession', () => {
  it('removes the session with what belongs to it, and nothing else', async () => {
    await write('keep-001', [message('user', 'Keep')], { ageDays: 5 });
    const path = await write('gone-001', [message('user', 'Go')]);
    await mkdir(join(chats, 'gone-001'));
    await mkdir(join(chats, '..', 'tool-outputs', 'session-gone-001'), { recursive: true });
    expect(await deleteSession('2', { home, root })).toMatchObject({ id: 'gone-001', title: 'Go', path });
    expect([await readdir(chats), await readdir(join(chats, '..', 'tool-outputs'))]).toEqual([
      ['session-2026-01-01T00-00-keep-001.jsonl'],
      [],
    ]);
  });

  it.each(['latest', '', '../x', '9', 'nobody'])('refuses %j', async (wanted) => {
    await write('keep-001', [message('user', 'Keep')]);
    await expect(deleteSession(wanted, { home, root })).rejects.toThrow(/./);
    expect((await readdir(chats)).length).toBe(1);
  });

  it('leaves a session in use', async () => {
    acquireLock(await write('live-001', [message('user', 'Busy')]));
    await expect(deleteSession('live-001', { home, root })).rejects.toMatchObject({
      reason: 'locked',
      pid: process.pid,
    });
  });
});

describe('cleanUpSessions', () => {
  const clean = (retention: SessionRetention, currentPath?: string) =>
    cleanUpSessions({
      home,
      root,
      retention,
      clock: createFakeClock({ start: NOW * 1000 }),
      ...(currentPath !== undefined && { currentPath }),
    });

  it.each<[SessionRetention, number[]]>([
    [{ maxAge: '30d' }, [0, 0.5, 2, 8, 29]],
    [{ maxAge: '1w' }, [0, 0.5, 2]],
    [{ maxAge: '1h' }, [0, 0.5]],
    [{ maxAge: '1h', minRetention: '3d' }, [0, 0.5, 2]],
    [{ maxAge: '2m' }, [0, 0.5, 2, 8, 29, 40]],
    [{ maxCount: 3 }, [0, 0.5, 2]],
    [{ maxCount: 1 }, [0, 0.5]],
    [{ enabled: false, maxAge: '1h' }, [0, 0.5, 2, 8, 29, 40]],
    [{}, [0, 0.5, 2, 8, 29, 40]],
    [{ maxAge: 'soon' }, [0, 0.5, 2, 8, 29, 40]],
    [{ maxAge: '0d' }, [0, 0.5, 2, 8, 29, 40]],
    [{ maxCount: -1 }, [0, 0.5, 2, 8, 29, 40]],
  ])('with %j keeps sessions of the right ages', async (retention, kept) => {
    const ages = [0, 0.5, 2, 8, 29, 40];
    const paths = await Promise.all(
      ages.map((ageDays) => write(`age${ageDays}-xxxx`, [message('user', 'Hi')], { ageDays })),
    );
    const { deleted, problems } = await clean(retention);
    expect(ages.filter((_, index) => !deleted.includes(paths[index] ?? ''))).toEqual(kept);
    const isWrong = retention.maxAge === 'soon' || retention.maxAge === '0d' || retention.maxCount === -1;
    expect(problems.length).toBe(isWrong ? 1 : 0);
  });

  it('leaves a session that is in use, and removes what dead processes left long ago', async () => {
    const [live, current, old] = await Promise.all(
      ['live-001', 'curr-001', 'old--001'].map((id) => write(id, [message('user', 'Hi')], { ageDays: 99 })),
    );
    acquireLock(live ?? '');
    const [asFile = '', asLink = ''] = ['dead0000', 'dead0001'].map((id) =>
      join(chats, `session-2026-01-01T00-00-${id}.jsonl.lock`),
    );
    await writeFile(asFile, '{"pid":4194305,"host":"gone"}');
    await symlink('{"pid":4194305,"host":"gone"}', asLink);
    const halves = ['.jsonl.tmp', '.jsonl.tmp-4194305'].map((end) =>
      join(chats, `session-2025-01-01T00-00-dead0002${end}`),
    );
    for (const half of halves) await writeFile(half, '{"sessionId":');
    for (const leftover of [asFile, asLink, ...halves]) await lutimes(leftover, 1, 1);
    expect((await clean({ maxAge: '1d' }, current)).deleted).toEqual([old]);
    expect((await readdir(chats)).filter((name) => name.includes('dead'))).toEqual([]);
  });
});

describe('searchSessions', () => {
  it('finds words in any case, in text, calls and results of all projects, newest first', async () => {
    const other = join(await resolveProjectDirectory({ home, root: '/other' }), 'chats');
    await write('one-0001', [message('user', 'Where is the Zebra?'), message('gemini', 'In the zoo.')], { ageDays: 3 });
    const call = { functionCall: { name: 'run_shell_command', args: { command: 'grep "zebra" -r zoo\n' } } };
    await write('two-0001', [message('user', 'Look'), message('gemini', [call])], { ageDays: 1, folder: other });
    const result = { functionResponse: { name: 'x', response: { output: 'Ümlaut ZEBRA "zoo" keeper' } } };
    await write('three001', [message('user', 'Hm'), message('gemini', 'x'), message('user', [result])], { ageDays: 2 });
    await write('none0001', [message('user', 'zebra only'), { $partial: { text: 'zoo' } }, message('gemini', 'ok')]);
    const find = async (...words: string[]) =>
      (await searchSessions({ home, words })).map(({ id, root: of }) => [id, of]);
    expect(await find('zebra', 'ZOO')).toEqual([
      ['two-0001', '/other'],
      ['three001', root],
      ['one-0001', root],
    ]);
    await write('summed01', [message('user', 'A gnu?'), { $set: { messages: [message('user', 'So?')] } }]);
    expect(await find('gnu')).toEqual([['summed01', root]]);
    expect(await find('"zoo"')).toEqual([['three001', root]]);
    expect(await find('ümlaut')).toEqual([['three001', root]]);
    expect([await find('sessionId'), await find('zebra.'), await find(' ')]).toEqual([[], [], []]);
    const [first] = await searchSessions({ home, words: ['keeper'] });
    expect(first).toMatchObject({ title: 'Hm', matches: 1, excerpt: 'Ümlaut ZEBRA "zoo" keeper' });
    expect((await searchSessions({ home, words: ['zebra'], limit: 1 })).length).toBe(1);
  });
});
