import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, readFile, readdir, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fingerprint } from '../tools/files/read-ledger.ts';
import { PreImages, readPreImage, stateOf } from './pre-images.ts';

const OLD = Buffer.from('caf\xe9\r\n', 'latin1');
const PRINT = fingerprint(OLD);

let chats: string;

beforeEach(async () => {
  chats = await mkdtemp(join(tmpdir(), 'castor-images-'));
});

afterEach(() => rm(chats, { recursive: true }));

describe('PreImages', () => {
  it('keeps a content once, for its owner only, and gives it back to the byte', async () => {
    const images = new PreImages(chats, 'session-1');
    const references = [await images.keep(OLD, PRINT), await images.keep(OLD, PRINT)];
    expect(references).toEqual([`session-1/pre-images/${PRINT}`, `session-1/pre-images/${PRINT}`]);
    const folder = join(chats, 'session-1', 'pre-images');
    const modes = [(await stat(folder)).mode & 0o777, (await stat(join(folder, `${PRINT}.sealed`))).mode & 0o777];
    expect([await readdir(folder), modes, readPreImage(chats, references[0]!)]).toEqual([
      [`${PRINT}.sealed`],
      [0o700, 0o600],
      OLD,
    ]);
  });

  it('keeps no content in plain, and reads the plain copies of earlier versions', async () => {
    const images = new PreImages(chats, 'session-1');
    const reference = await images.keep(OLD, PRINT);
    const kept = await readFile(join(chats, `${reference}.sealed`));
    expect([kept.includes(OLD), kept.length > OLD.length]).toEqual([false, true]);
    await writeFile(join(chats, `${reference}`), OLD);
    await rm(join(chats, `${reference}.sealed`));
    expect(readPreImage(chats, `${reference}`)).toEqual(OLD);
  });

  it('makes no more copies than fit, and none where none can be made', async () => {
    const images = new PreImages(chats, 'session-1');
    const folder = join(chats, 'session-1', 'pre-images');
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, 'earlier'), '');
    await truncate(join(folder, 'earlier'), 200 * 1024 * 1024);
    expect(await images.keep(OLD, PRINT)).toBeUndefined();
    await writeFile(join(chats, 'session-2'), 'in the way');
    expect(await new PreImages(chats, 'session-2').keep(OLD, PRINT)).toBeUndefined();
  });

  it.each([
    ['another content', `session-1/pre-images/${PRINT}`],
    ['no name of a content', 'session-1/pre-images/x'],
    ['a way out of the folder', `../pre-images/${PRINT}`],
    ['nothing there', `session-2/pre-images/${PRINT}`],
  ])('gives nothing back for %s', async (_, reference) => {
    await mkdir(join(chats, 'session-1', 'pre-images'), { recursive: true });
    await writeFile(join(chats, 'session-1', 'pre-images', PRINT), 'something else');
    expect(readPreImage(chats, reference)).toBeUndefined();
  });
});

describe('the state of a change', () => {
  const path = () => join(chats, 'file');
  const change = () => ({ callId: 'c', path: path(), before: PRINT, after: fingerprint(Buffer.from('new')) });

  it.each([
    ['before', () => writeFile(path(), OLD)],
    ['after', () => writeFile(path(), 'new')],
    ['other', () => writeFile(path(), 'newer')],
    ['other', async () => undefined],
    ['other', async () => execFileSync('mkfifo', [path()])],
    ['other', () => mkdir(path())],
  ])('is "%s", whatever is there by now', async (state, prepare) => {
    await prepare();
    expect(stateOf(change())).toBe(state);
  });

  it('is known of a file that was to be made', async () => {
    const made = { ...change(), before: null };
    expect(stateOf(made)).toBe('before');
    await writeFile(path(), 'new');
    expect([stateOf(made), await readFile(path(), 'utf8')]).toEqual(['after', 'new']);
  });
});
