import { mkdtemp, readFile, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { foreignOrigin } from '../chat/foreign-model.fixture.ts';
import { originOf, withOrigin } from '../protocol/origin.ts';
import { openSession } from './open-session.ts';
import { createSessionFrom } from './session-copy.ts';
import { deleteCheckpoint, listCheckpoints, readCheckpoint, saveCheckpoint } from './checkpoint-files.ts';

describe('saved conversations', () => {
  let folder: string;
  beforeEach(async () => {
    folder = join(await mkdtemp(join(tmpdir(), 'castor-saved-')), 'project');
  });
  afterEach(() => rm(join(folder, '..'), { recursive: true }));
  const history = [
    { role: 'user' as const, parts: [{ text: 'Hi' }] },
    { role: 'model' as const, parts: [{ text: 'Hello.' }] },
  ];

  it('are files of Gemini CLI, for their owner only, and are found again by their name', async () => {
    expect(listCheckpoints(folder)).toEqual([]);
    const path = saveCheckpoint(folder, 'über/../x y', { history, authType: 'gemini-api-key' });
    expect(path).toBe(join(folder, 'checkpoint-%C3%BCber%2F..%2Fx%20y.json'));
    expect(JSON.parse(await readFile(path, 'utf8'))).toEqual({ history, authType: 'gemini-api-key' });
    expect(((await stat(path)).mode & 0o777).toString(8)).toBe('600');
    expect(listCheckpoints(folder).map(({ tag }) => tag)).toEqual(['über/../x y']);
    expect(readCheckpoint(folder, 'über/../x y')).toEqual({ history, authType: 'gemini-api-key' });
    deleteCheckpoint(folder, 'über/../x y');
    expect(await readdir(folder)).toEqual([]);
  });

  it('bring back the origin of each unchanged answer, which stands beside the turns', async () => {
    const origin = foreignOrigin({ blocks: [{ before: 0, type: 'redacted', data: '\ud800' }] });
    const said = [history[0]!, withOrigin(history[1]!, origin), history[0]!, history[1]!];
    const path = saveCheckpoint(folder, 'a', { history: said });
    const stored = JSON.parse(await readFile(path, 'utf8')) as { history: unknown; origins: unknown };
    expect(stored).toEqual({ history: [...history, ...history], origins: { 1: origin } });
    expect(readCheckpoint(folder, 'a').history.map(originOf)).toEqual([undefined, origin, undefined, undefined]);
    const odd = { ...stored, origins: { 1: { ...origin, blocks: 7 }, 3: 'x', 99: origin } };
    await writeFile(path, JSON.stringify(odd));
    expect(readCheckpoint(folder, 'a').history.map(originOf)).toEqual(Array.from({ length: 4 }, () => undefined));
    const home = join(folder, '..');
    const id = await createSessionFrom(said, { home, root: home });
    const session = await openSession({ home, root: home, resume: id });
    session.recorder.close();
    expect(session.history).toEqual(said);
  });

  it('are never written over', () => {
    saveCheckpoint(folder, 'a', { history });
    expect(() => saveCheckpoint(folder, 'a', { history: [] })).toThrow('The conversation "a" already exists.');
    expect(readCheckpoint(folder, 'a')).toEqual({ history });
  });

  it('may be of an older form, and hold what no request can contain', async () => {
    saveCheckpoint(folder, 'other', { history });
    const odd = [...history, { role: 'system', parts: [{ text: 'x' }] }, 7, { role: 'user', parts: [{ odd: 1 }] }];
    await writeFile(join(folder, 'checkpoint-old.json'), JSON.stringify(odd));
    expect(readCheckpoint(folder, 'old')).toEqual({ history });
  });

  it.each([
    ['none', /^Unknown conversation "none"\./],
    ['broken', /checkpoint-broken\.json is not readable: /],
    ['empty', /checkpoint-empty\.json does not contain a conversation\./],
    ['x'.repeat(300), /is too long\.$/],
  ])('say what is wrong with %s', async (tag, message) => {
    saveCheckpoint(folder, 'other', { history });
    await writeFile(join(folder, 'checkpoint-broken.json'), '{"history": [');
    await writeFile(join(folder, 'checkpoint-empty.json'), '{"history": [], "authType": 1}');
    expect(() => readCheckpoint(folder, tag)).toThrow(message);
  });
});
