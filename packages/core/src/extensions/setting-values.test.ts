import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { createWorkspace } from '@castor/testkit';
import { describe, expect, it } from 'vitest';
import { loadExtensions } from './load-extensions.ts';
import { forgetSettingValues, readSettingValues, writeSettingValue } from './setting-values.ts';
import type { SecretStore, ValuePlace } from './setting-values.ts';

const SETTINGS = [
  { name: 'Token', envVar: 'TOKEN', sensitive: true },
  { name: 'Region', envVar: 'REGION' },
];

/** A keyring in memory; `fails` throws for every request. */
function createKeyring(fails = false) {
  const entries = new Map<string, string>();
  const work = async <T>(run: () => T): Promise<T> => {
    if (fails) throw new Error('locked');
    return run();
  };
  const store: SecretStore = {
    read: (service, account) => work(() => entries.get(`${service}|${account}`)),
    write: (service, account, value) => work(() => void entries.set(`${service}|${account}`, value)),
    remove: (service, account) => work(() => void entries.delete(`${service}|${account}`)),
  };
  return { entries, store };
}

async function open(store?: SecretStore) {
  const manifest = JSON.stringify({ name: 'cloud', version: '1', settings: SETTINGS });
  const workspace = await createWorkspace({
    homeFiles: { '.gemini/extensions/cloud/gemini-extension.json': manifest },
  });
  const { home, project } = workspace;
  const extension = loadExtensions({ home, cwd: project }).extensions[0]!;
  const [token, region] = extension.manifest.settings;
  const place: ValuePlace = { home, workspace: project, openSecrets: async () => store };
  return {
    ...{ workspace, extension, token: token!, region: region!, place },
    values: async (where: ValuePlace = place) => {
      const found = await readSettingValues(extension, where);
      return Object.fromEntries(Object.entries(found).map(([name, { value, scope }]) => [name, `${value} (${scope})`]));
    },
    file: join(home, '.gemini/castor-extension-values.json'),
    [Symbol.asyncDispose]: () => workspace.dispose(),
  };
}

describe('values of settings', () => {
  it('are kept where Gemini CLI keeps them, secrets in a file of mode 0600 without a keyring', async () => {
    await using one = await open();
    await writeSettingValue(one.extension, one.region, 'eu west', { scope: 'user', place: one.place });
    await writeSettingValue(one.extension, one.token, 's3cret', { scope: 'user', place: one.place });
    expect(readFileSync(join(one.extension.folder, '.env'), 'utf8')).toBe('REGION="eu west"\n');
    expect(statSync(one.file).mode & 0o777).toBe(0o600);
    expect(await one.values()).toEqual({ TOKEN: 's3cret (user)', REGION: 'eu west (user)' });
  });

  it('of a folder precede those of the user, only in a trusted folder, and never reach its .env', async () => {
    await using one = await open();
    await writeSettingValue(one.extension, one.region, 'a', { scope: 'user', place: one.place });
    await writeSettingValue(one.extension, one.region, 'b', { scope: 'workspace', place: one.place });
    expect(await one.values()).toEqual({ REGION: 'b (workspace)' });
    expect(await one.values({ ...one.place, workspace: undefined })).toEqual({ REGION: 'a (user)' });
    expect(() => statSync(join(one.workspace.project, '.env'))).toThrow('ENOENT');
    await writeSettingValue(one.extension, one.region, '', { scope: 'workspace', place: one.place });
    expect(await one.values()).toEqual({ REGION: 'a (user)' });
  });

  it('that are secret go into the keyring under the names of Gemini CLI, and out of it with the extension', async () => {
    const { entries, store } = createKeyring();
    await using one = await open(store);
    await writeSettingValue(one.extension, one.token, 's3cret', { scope: 'user', place: one.place });
    const [name] = entries.keys();
    expect(name).toMatch(/^Gemini CLI Extensions cloud [0-9a-f]{64}\|__secret__TOKEN$/);
    expect(readFileSync(one.file, 'utf8')).not.toContain('s3cret');
    expect(await one.values()).toEqual({ TOKEN: 's3cret (user)' });
    await forgetSettingValues(one.extension, one.place);
    expect([entries.size, await one.values()]).toEqual([0, {}]);
  });

  it('that Gemini CLI stored in the keyring are found without a note about them', async () => {
    const { entries, store } = createKeyring();
    await using one = await open(store);
    await writeSettingValue(one.extension, one.token, 'x', { scope: 'user', place: one.place });
    const [name] = entries.keys();
    await forgetSettingValues(one.extension, one.place);
    entries.set(name!, 'from gemini');
    expect(await one.values()).toEqual({ TOKEN: 'from gemini (user)' });
  });

  it('of a keyring that does not answer are missing alone', async () => {
    const working = createKeyring();
    await using one = await open(working.store);
    await writeSettingValue(one.extension, one.token, 's3cret', { scope: 'user', place: one.place });
    await writeSettingValue(one.extension, one.region, 'a', { scope: 'user', place: one.place });
    const problems: string[] = [];
    const broken = { ...one.place, openSecrets: async () => createKeyring(true).store };
    const found = await readSettingValues(one.extension, broken, (problem) => problems.push(problem));
    expect([Object.keys(found), problems]).toEqual([
      ['REGION'],
      [expect.stringContaining('The keyring did not answer, so the setting "Token"')],
    ]);
  });

  it('are one line, and only declared variables count', async () => {
    await using one = await open();
    const work = writeSettingValue(one.extension, one.region, 'a\nLD_PRELOAD=x', { scope: 'user', place: one.place });
    await expect(work).rejects.toThrow('The value of "Region" must be one line.');
    await one.workspace.write('../home/.gemini/extensions/cloud/.env', 'LD_PRELOAD=x\nREGION=a#b\n');
    expect(Object.keys(await one.values())).toEqual(['REGION']);
  });
});
