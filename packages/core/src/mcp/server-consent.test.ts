/** Which servers of a project may start, by a real record. */

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { SourceKind } from '../protocol/source.ts';
import { selectServers } from './select-servers.ts';
import { admitServers, ServerConsent } from './server-consent.ts';

let folder: string;
let file: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'castor-mcp-consent-'));
  file = join(folder, 'trusted_mcp_servers.json');
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

function serversOf(entries: Record<string, object>, source: SourceKind = 'project') {
  return selectServers([{ source, servers: { ...entries }, written: { ...entries } }]).servers;
}

interface Trust {
  trustedFolder?: boolean;
  isTrustedForRun?: boolean;
}

function admit(servers: ReturnType<typeof serversOf>, { trustedFolder, isTrustedForRun = false }: Trust) {
  const consent = () => new ServerConsent(file, folder);
  const place = { home: join(folder, 'home'), root: join(folder, 'project') };
  const found = admitServers(servers, { trustedFolder, isTrustedForRun, hint: 'Run x.', consent, ...place });
  return { started: found.servers.map(({ name }) => name), messages: found.messages };
}

const TRUSTED = { trustedFolder: true };
const ENTRY = { a: { command: 'npx', args: ['-y', 'a b'], env: { TOKEN: 'secret' } } };

it('starts nothing in an untrusted folder, not even servers of the user', () => {
  const message = 'MCP servers do not start, because the folder is not trusted: a.';
  expect(admit(serversOf(ENTRY, 'user'), { trustedFolder: false })).toEqual({ started: [], messages: [message] });
});

it('starts only servers of the user in a folder without a decision', () => {
  const servers = [...serversOf(ENTRY), ...serversOf({ mine: { command: 'x' } }, 'user')];
  expect(admit(servers, {}).started).toEqual(['mine']);
});

describe('in a folder without a decision, a program of the user', () => {
  const PLACE = { trustedFolder: undefined, isTrustedForRun: false, trustHint: 'Trust it.' };
  const placeOf = ({ servers }: ReturnType<typeof admitServers>) =>
    servers.map(({ address }) => (address.kind === 'stdio' ? address.cwd : address.kind));

  it('runs outside it: where an absolute cwd says, else in an empty folder of the user', () => {
    const [home, root] = [join(folder, 'home'), join(folder, 'project')];
    mkdirSync(root);
    const entries = {
      a: { command: 'npx', args: ['x'] },
      b: { command: 'x', cwd: 'tools' },
      c: { command: 'x', cwd: join(root, 'tools') },
      d: { command: 'x', cwd: '/opt' },
      e: { url: 'https://e.example' },
      f: { command: 'node', args: ['./server.js', '.'] },
    };
    const found = admitServers(serversOf(entries, 'user'), { ...PLACE, home, root });
    const neutral = join(home, '.cache', 'castor', 'mcp-servers');
    expect(placeOf(found)).toEqual([neutral, neutral, neutral, '/opt', 'http-or-sse', neutral]);
    expect(found.messages).toEqual([
      `The folder has no trust decision, so these MCP servers run in ${neutral}, not here: b, c, f. An absolute "cwd" in an entry names another folder. Trust it.`,
    ]);
  });

  it.each<[string, string, object]>([
    ['is the folder’s own', 'home', { command: 'ROOT/x', cwd: '/opt' }],
    ['has no place outside it', 'project/home', { command: 'x' }],
  ])('does not start where it %s', (_why, home, entry) => {
    const root = join(folder, 'project');
    const entries = { a: JSON.parse(JSON.stringify(entry).replace('ROOT', root)) as object };
    const found = admitServers(serversOf(entries, 'user'), { ...PLACE, home: join(folder, home), root });
    expect(found).toMatchObject({
      servers: [],
      refused: [{ name: 'a' }],
      messages: ['MCP servers do not start, because the folder has no trust decision: a. Trust it.'],
    });
  });
});

it('starts nothing of a trusted project before a consent to exactly its entries', () => {
  const message =
    'MCP servers of this project do not start without your consent: a (npx -y "a b"; env TOKEN) [new]. Run x.';
  expect(admit(serversOf(ENTRY), TRUSTED)).toEqual({ started: [], messages: [message] });
  expect(admit(serversOf(ENTRY), TRUSTED)).toEqual({ started: [], messages: [message] });
  new ServerConsent(file, folder).add(serversOf(ENTRY));
  expect(admit(serversOf(ENTRY), TRUSTED)).toEqual({ started: ['a'], messages: [] });
});

it('needs no consent of its own where the user has agreed elsewhere', () => {
  const found = admitServers(serversOf(ENTRY), { ...TRUSTED, isTrustedForRun: false, home: folder, root: folder });
  expect(found).toMatchObject({ servers: [{ name: 'a' }], messages: [] });
});

it.each([
  ['command', { command: 'sh', args: ENTRY.a.args, env: ENTRY.a.env }],
  ['an argument', { ...ENTRY.a, args: ['-y', 'evil'] }],
  ['a variable', { ...ENTRY.a, env: { TOKEN: 'secret', NODE_OPTIONS: '-r ./x' } }],
  ['the folder', { ...ENTRY.a, cwd: '/tmp' }],
  ['trust', { ...ENTRY.a, trust: true }],
])('asks again after a change of %s', (_what, changed) => {
  new ServerConsent(file, folder).add(serversOf(ENTRY));
  const after = admit(serversOf({ a: changed }), TRUSTED);
  expect(after.started).toEqual([]);
  expect(after.messages[0]).toMatch(/ do not start without your consent: a \(.*\) \[changed\]\. Run x\.$/);
  expect(admit(serversOf(ENTRY), TRUSTED).started).toEqual(['a']);
});

it('asks about a server added later, and again about one that a later decision left out', () => {
  new ServerConsent(file, folder).add(serversOf(ENTRY));
  const both = serversOf({ ...ENTRY, b: { command: 'b' } });
  expect(admit(both, TRUSTED).started).toEqual(['a']);
  new ServerConsent(file, folder).add(both);
  expect(admit(both, TRUSTED).started).toEqual(['a', 'b']);
  new ServerConsent(file, folder).replace(serversOf(ENTRY));
  expect(admit(both, TRUSTED).started).toEqual(['a']);
});

it('asks again when a variable changes what runs, but not for a new value of a credential', () => {
  const written = { a: { command: 'x', env: { NODE_OPTIONS: '$OPTIONS', TOKEN: '$T' } } };
  const withValues = (env: object) =>
    selectServers([{ source: 'project', servers: { a: { command: 'x', env } }, written }]).servers;
  new ServerConsent(file, folder).add(withValues({ NODE_OPTIONS: '', TOKEN: '1' }));
  expect(admit(withValues({ NODE_OPTIONS: '', TOKEN: '2' }), TRUSTED).started).toEqual(['a']);
  expect(admit(withValues({ NODE_OPTIONS: '-r ./x', TOKEN: '1' }), TRUSTED).started).toEqual([]);
});

it('starts everything in a run that is trusted as it is, and records nothing', () => {
  const { started, messages } = admit(serversOf(ENTRY), { ...TRUSTED, isTrustedForRun: true });
  expect(started).toEqual(['a']);
  expect(messages).toEqual(['This project starts MCP servers with your permissions: a (npx -y "a b"; env TOKEN).']);
  expect(admit(serversOf(ENTRY), TRUSTED).started).toEqual([]);
});

it('counts an unreadable record as no consent', () => {
  writeFileSync(file, '{"a": [1]}');
  const { started, messages } = admit(serversOf(ENTRY), TRUSTED);
  expect(started).toEqual([]);
  expect(messages[0]).toContain('was ignored');
});
