import { chmod, mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { forgetStoredKey, keyFile, listStoredKeys, storeKey } from './key-store.ts';

const baseUrl = 'https://llm.example';
const stored = (id: string) => ({ id, baseUrl, key: `key-of-${id}-0123456789`, place: 'file' as const });

describe('a file of keys that cannot be used', () => {
  let home: string;

  beforeEach(async () => {
    home = await mkdtemp(join(tmpdir(), 'castor-keys-'));
    await mkdir(dirname(keyFile(home)), { recursive: true });
  });

  afterEach(() => rm(home, { recursive: true, force: true }));

  it('because others may read it is closed by the next change, with every key', async () => {
    await storeKey(home, stored('one'));
    await chmod(keyFile(home), 0o644);
    expect(() => listStoredKeys(home)).toThrow('chmod 600');
    await storeKey(home, stored('two'));
    expect(listStoredKeys(home).map(({ id }) => id)).toEqual(['one', 'two']);
    await chmod(keyFile(home), 0o644);
    expect(await forgetStoredKey(home, 'one')).toBe(true);
    expect((await stat(keyFile(home))).mode & 0o777).toBe(0o600);
  });

  it('because it is no JSON is moved aside, readable by its owner only', async () => {
    await writeFile(keyFile(home), '{"keys": {', { mode: 0o600 });
    expect(() => listStoredKeys(home)).toThrow('castor login <provider>');
    await expect(forgetStoredKey(home, 'one')).rejects.toThrow('Delete it');
    await storeKey(home, stored('one'));
    expect(listStoredKeys(home).map(({ id }) => id)).toEqual(['one']);
    expect(await readFile(`${keyFile(home)}.broken`, 'utf8')).toBe('{"keys": {');
    expect((await stat(`${keyFile(home)}.broken`)).mode & 0o777).toBe(0o600);
  });
});
