/**
 * With default settings the only address ever contacted is the model's. A module loaded
 * before the program writes down every connection, every name that is looked up and
 * every process that is started, at the level where Node leaves itself.
 */

import { call, createWorkspace, fakeModel, runCli, say } from '@castor/testkit';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const SPY = `
const { appendFileSync } = require('node:fs');
const note = (line) => appendFileSync(process.env.EGRESS_LOG, line + '\\n');
const net = require('node:net');
const connect = net.Socket.prototype.connect;
net.Socket.prototype.connect = function (...args) {
  const [options] = Array.isArray(args[0]) ? args[0] : args;
  note('connect ' + (options.path ?? (options.host ?? 'localhost') + ':' + options.port));
  return connect.apply(this, args);
};
const dns = require('node:dns');
for (const api of [dns, dns.promises]) {
  const lookup = api.lookup;
  api.lookup = function (name, ...rest) {
    note('lookup ' + name);
    return lookup.call(this, name, ...rest);
  };
}
const dgram = require('node:dgram');
const send = dgram.Socket.prototype.send;
dgram.Socket.prototype.send = function (...args) {
  note('datagram');
  return send.apply(this, args);
};
const children = require('node:child_process');
const spawn = children.ChildProcess.prototype.spawn;
children.ChildProcess.prototype.spawn = function (options) {
  note('spawn ' + options.file);
  return spawn.call(this, options);
};
`;

async function runWatched(args: string[], script: Parameters<typeof fakeModel>[0]) {
  await using files = await createWorkspace({
    files: { 'a.txt': 'some text\n', '.git/HEAD': 'ref: refs/heads/main\n' },
  });
  const spy = join(files.root, 'spy.cjs');
  const log = join(files.root, 'egress.log');
  await Promise.all([writeFile(spy, SPY), writeFile(log, '')]);
  await using model = await fakeModel(script);
  const env = { NODE_OPTIONS: `--require=${spy}`, EGRESS_LOG: log };
  const { code } = await runCli(args, { model, workspace: files, env });
  const seen = (await readFile(log, 'utf8')).split('\n').filter((line) => line !== '');
  return { code, model: `connect ${new URL(model.url).host}`, seen: [...new Set(seen)] };
}

describe('a run with default settings', () => {
  it('contacts nobody but the model and starts no process', async () => {
    const { code, model, seen } = await runWatched(
      ['-p', 'what is in a.txt?'],
      [call('read_file', { file_path: 'a.txt' }), say('Some text.')],
    );
    expect({ code, seen }).toEqual({ code: 0, seen: [model] });
  });

  it('contacts nobody at all with the offline model', async () => {
    const { code, seen } = await runWatched(['-m', 'offline', '-p', 'What is in this folder?'], []);
    expect({ code, seen }).toEqual({ code: 0, seen: [] });
  });
});
