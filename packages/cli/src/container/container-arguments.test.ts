/** The command lines of containers: what enters, what stays outside, and how Gemini CLI's variables change them. */

import { describe, expect, it } from 'vitest';
import { lxcArguments, lxcSteps, proxySteps, runArguments } from './container-arguments.ts';
import type { ContainerFacts } from './container-facts.ts';
import { quotedWords } from './quoted-words.ts';

const REQUEST: ContainerFacts['request'] = { kind: 'docker', image: 'node:24', allowedPaths: [], hasNetwork: true };
const FACTS: ContainerFacts = {
  request: REQUEST,
  name: 'castor-sandbox-1',
  cwd: '/work',
  home: '/home/me',
  installation: '/opt/castor',
  node: '/usr/bin/node',
  words: ['-p', 'a b'],
  environment: {
    GEMINI_API_KEY: 'SECRET',
    TERM: 'xterm',
    PATH: '/bin',
    GEMINI_SANDBOX: 'docker',
    https_proxy: 'http://p',
  },
  hasTerminal: false,
  user: { id: 1000, group: 1001 },
  volumes: [{ from: '/work', to: '/work', options: 'rw' }],
  flags: [],
  ports: [],
  variables: [],
  proxyCommand: undefined,
  hasScript: false,
  dockerfile: undefined,
};

/** The values of a repeated option. */
const valuesOf = (words: readonly string[], option: string) =>
  words.flatMap((word, at) => (words[at - 1] === option ? [word] : []));

describe('a container of docker', () => {
  const words = runArguments(FACTS);

  it('runs this program with the same arguments in the same folder, as the same user', () => {
    expect(words.slice(0, 3)).toEqual(['run', '-i', '--rm']);
    expect(valuesOf(words, '--workdir')).toEqual(['/work']);
    expect(valuesOf(words, '--user')).toEqual(['1000:1001']);
    expect(words.slice(words.indexOf('--entrypoint') + 1, words.indexOf('--entrypoint') + 4)).toEqual([
      '',
      'node:24',
      'sh',
    ]);
    expect(words.slice(-4)).toEqual(['castor', '/opt/castor/bin/castor.cjs', '-p', 'a b']);
    expect(valuesOf(words, '--volume')).toEqual([
      '/work:/work:rw',
      '/opt/castor:/opt/castor:ro',
      '/usr/bin/node:/castor-node:ro',
    ]);
  });

  it('passes variables by their names, and none that describes this computer', () => {
    expect(words.join(' ')).not.toContain('SECRET');
    expect(valuesOf(words, '--env')).toEqual([
      ...['SANDBOX=castor-sandbox-1', 'HOME=/home/me', 'GEMINI_API_KEY', 'TERM', 'https_proxy'],
    ]);
  });
});

it.each<[what: string, change: Partial<ContainerFacts>, present: string[], absent: string[]]>([
  ['a terminal', { hasTerminal: true }, ['-t'], []],
  ['gVisor', { request: { ...REQUEST, kind: 'runsc' } }, ['--runtime=runsc'], []],
  ['podman', { request: { ...REQUEST, kind: 'podman' } }, ['--userns=keep-id'], ['--add-host']],
  ['root', { user: { id: 0, group: 0 } }, [], ['--user', '--tmpfs']],
  ['the user of the image', { user: undefined }, [], ['--user', '--tmpfs']],
  ['SANDBOX_FLAGS', { flags: ['--memory', '2g'] }, ['--memory', '2g'], []],
  ['SANDBOX_PORTS', { ports: ['3000'] }, ['3000:3000'], []],
  ['SANDBOX_ENV', { variables: ['A=1'] }, ['A=1'], []],
  ['a script of the project', { hasScript: true }, ['bash'], ['sh']],
  ['no network', { request: { ...REQUEST, hasNetwork: false } }, ['--network', 'gemini-cli-sandbox'], []],
  ['a proxy', { proxyCommand: 'p' }, ['https_proxy=http://gemini-cli-sandbox-proxy:8877'], ['https_proxy']],
])('knows %s', (_, change, present, absent) => {
  const words = runArguments({ ...FACTS, ...change });
  expect(present.filter((word) => !words.includes(word))).toEqual([]);
  expect(absent.filter((word) => words.includes(word))).toEqual([]);
});

it('starts the proxy in a network of its own, beside the one without a way out', () => {
  const { networks, proxy } = proxySteps({ ...FACTS, proxyCommand: 'squid -N' });
  expect(networks).toEqual([
    ['network', 'create', '--internal', 'gemini-cli-sandbox'],
    ['network', 'create', 'gemini-cli-sandbox-proxy'],
  ]);
  expect(proxy?.slice(-4)).toEqual(['node:24', 'sh', '-c', 'squid -N']);
  expect(proxySteps(FACTS)).toEqual({ networks: [], proxy: undefined });
});

it('shows folders in a container of lxc, and passes secrets in a file', () => {
  const facts = { ...FACTS, request: { ...REQUEST, kind: 'lxc' as const, image: 'box' } };
  expect(lxcSteps(facts)[0]).toEqual({
    what: '/work',
    add: ['config', 'device', 'add', 'box', 'castor-sandbox-1-0', 'disk', 'source=/work', 'path=/work'],
    remove: ['config', 'device', 'remove', 'box', 'castor-sandbox-1-0'],
  });
  const { words, variables } = lxcArguments(facts);
  expect(words.slice(0, 4)).toEqual(['exec', 'box', '--cwd', '/work']);
  expect(words.join(' ')).not.toContain('SECRET');
  expect(variables).toContain(`export GEMINI_API_KEY='SECRET'\n`);
});

it.each([
  ['', []],
  ['  a  b ', ['a', 'b']],
  [`--x="a b" 'c "d' e\\ f ''`, ['--x=a b', 'c "d', 'e f', '']],
  [`"a\\"b"`, ['a"b']],
])('reads the words of %s', (line, words) => {
  expect(quotedWords(line)).toEqual(words);
});
