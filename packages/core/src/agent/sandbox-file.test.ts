/** Gemini CLI's sandbox.toml: the bounds of its modes, what it opens for the programs of a line, and what is wrong in it. */

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { parseRulesFile } from '../policy/rules-file.ts';
import { boundsOfMode, readSandboxFile } from '../sandbox/sandbox-file.ts';
import { grantOfLine } from './named-grants.ts';

const FILE = `
[modes.plan]
network = false
readonly = true
approvedTools = []
allowOverrides = true

[modes.default]
network = false
readonly = true
approvedTools = ['cat']

[modes.accepting_edits]
network = true
readonly = false
approvedTools = []

[commands.npm]
allowed_paths = ["/data", "/cache"]
allow_network = true

[commands.make]
allowed_paths = ["/data"]
`;

function write(text: string) {
  const home = mkdtempSync(join(tmpdir(), 'castor-sandbox-file-'));
  mkdirSync(join(home, '.gemini/policies'), { recursive: true });
  writeFileSync(join(home, '.gemini/policies/sandbox.toml'), text);
  return { home, [Symbol.dispose]: () => rmSync(home, { recursive: true, force: true }) };
}

it('is no policy file, and decides by mode', async () => {
  using env = write(FILE);
  expect((await parseRulesFile(FILE, '/x/sandbox.toml', 'user')).problems).toEqual([]);
  expect((await parseRulesFile(FILE, '/x/other.toml', 'user')).problems).toHaveLength(2);
  const file = await readSandboxFile(env.home);
  const of = (mode: string) => boundsOfMode(file, mode);
  expect([of('default'), of('autoEdit'), of('yolo')]).toEqual([
    { isReadOnly: true, hasNetwork: false },
    { isReadOnly: false, hasNetwork: true },
    { isReadOnly: true, hasNetwork: false },
  ]);
  expect(boundsOfMode(await readSandboxFile('/nowhere'), 'default')).toEqual({ isReadOnly: false, hasNetwork: false });
});

it.each<[line: string, paths: string[] | undefined, hasNetwork: boolean]>([
  ['npm test', ['/data', '/cache'], true],
  ['cd sub && npm ci && npm test', ['/data', '/cache'], true],
  ['npm ci && make', ['/data'], false],
  ['npm ci; curl evil.tld', undefined, false],
  ['npm ci $(curl evil.tld)', undefined, false],
  ['./npm test', undefined, false],
  ['echo x', undefined, false],
])('opens for %j only what it opens for every program of it', async (line, paths, hasNetwork) => {
  using env = write(FILE);
  const file = await readSandboxFile(env.home);
  const grant = file && (await grantOfLine(line, file));
  expect([grant?.paths, grant?.hasNetwork ?? false]).toEqual([paths, hasNetwork]);
});

it.each([
  ['[modes.default]\nreadonly = "yes"', 'modes.default.readonly is not true or false'],
  ['[commands.npm]\nallowed_paths = "x"', 'commands.npm.allowed_paths is not a list of paths'],
  ['modes = 1', 'modes is not a table'],
])('is named with what is wrong in it: %j', async (text, says) => {
  using env = write(text);
  await expect(readSandboxFile(env.home)).rejects.toThrow(`sandbox.toml: ${says}`);
});
