/** The keyring over a bus that never answers, as one that waits for the user to unlock it. */

import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createWorkspace, fakeModel, runCli, say } from '@castor/testkit';
import { afterEach, expect, it } from 'vitest';
import { openKeyring } from './keyring.ts';

const MANIFEST = JSON.stringify({
  name: 'cloud',
  version: '1.0.0',
  settings: [{ name: 'Token', envVar: 'TOKEN', sensitive: true }],
});

async function openSilentBus() {
  const folder = await mkdtemp(join(tmpdir(), 'castor-bus-'));
  const bus = createServer((socket) => socket.on('error', () => undefined).unref()).listen(join(folder, 'bus'));
  await once(bus, 'listening');
  let asked = 0;
  bus.on('connection', () => (asked += 1));
  return {
    address: `unix:path=${join(folder, 'bus')}`,
    get asked() {
      return asked;
    },
    async [Symbol.asyncDispose]() {
      bus.close();
      await rm(folder, { recursive: true });
    },
  };
}

/** In the form of the module that binds the system's keyring. */
const STAND_IN = `
const secrets = new Map();
exports.AsyncEntry = class {
  constructor(service, account, { linux }) { this.key = [service, account, linux.store].join(); }
  async getPassword() { if (this.key.includes('locked')) throw new Error('It is locked.'); return secrets.get(this.key); }
  async setPassword(value) { secrets.set(this.key, value); }
  async deletePassword() { secrets.delete(this.key); }
};`;

const before = process.env['DBUS_SESSION_BUS_ADDRESS'];
afterEach(() => {
  if (before === undefined) delete process.env['DBUS_SESSION_BUS_ADDRESS'];
  else process.env['DBUS_SESSION_BUS_ADDRESS'] = before;
});

it('keeps, returns and removes a secret; a refusal is an error', async () => {
  await using workspace = await createWorkspace({ files: { 'keyring.cjs': STAND_IN } });
  const store = await openKeyring({}, join(workspace.project, 'keyring.cjs'));
  const value = 'tä"\nb';
  await store!.write('s', 'a', value);
  expect([await store!.read('s', 'a'), await store!.read('s', 'b')]).toEqual([value, undefined]);
  await store!.remove('s', 'a');
  expect(await store!.read('s', 'a')).toBeUndefined();
  await expect(store!.read('s', 'locked')).rejects.toThrow('It is locked.');
  expect(await openKeyring({}, join(workspace.project, 'missing.cjs'))).toBeUndefined();
});

it.runIf(process.platform === 'linux')('is none where it does not answer', async () => {
  await using bus = await openSilentBus();
  process.env['DBUS_SESSION_BUS_ADDRESS'] = bus.address;
  expect([await openKeyring({}), bus.asked]).toEqual([undefined, 1]);
  expect([await openKeyring({ GEMINI_FORCE_FILE_STORAGE: 'true' }), bus.asked]).toEqual([undefined, 1]);
});

it.runIf(process.platform === 'linux')(
  'holds up neither a run with a secret of an extension nor its end',
  { tags: 'wide' },
  async () => {
    await using bus = await openSilentBus();
    await using workspace = await createWorkspace({ files: { 'ext/gemini-extension.json': MANIFEST } });
    await using model = await fakeModel(() => say('ok'));
    const install = ['extensions', 'install', './ext', '--consent', '--skip-settings'];
    expect((await runCli(install, { workspace })).code).toBe(0);
    const env = { DBUS_SESSION_BUS_ADDRESS: bus.address };
    const { code, stdout } = await runCli(['-p', 'hi'], { workspace, model, env });
    expect([code, stdout, bus.asked]).toEqual([0, 'ok\n', 1]);
  },
);
