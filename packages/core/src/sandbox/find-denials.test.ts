import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { accessOf, findDenials } from './find-denials.ts';
import { planSandbox } from './sandbox-plan.ts';
import type { SandboxFacts } from './sandbox-plan.ts';

const base = realpathSync(mkdtempSync(join(tmpdir(), 'castor-denials-')));
afterAll(() => rmSync(base, { recursive: true, force: true }));
const home = join(base, 'home');
const root = join(base, 'work');
mkdirSync(join(home, '.ssh'), { recursive: true });
mkdirSync(root);
writeFileSync(join(home, '.ssh/id'), 'KEY');

const FACTS: SandboxFacts = {
  home,
  roots: [root],
  writable: [],
  readable: [],
  hidden: [{ path: join(home, '.ssh'), isFolder: true }],
  caches: [join(home, '.npm')],
  protectedPaths: [join(root, '.git/hooks')],
  repository: [],
  temporary: '/t',
  emptyFile: '/e',
};
const plan = planSandbox(FACTS, 'workspace-write');
const find = (output: string, exitCode: number | null = 1) => findDenials({ output, exitCode }, plan, []);

describe('a plan', () => {
  it('opens a protected path where a grant names exactly that, and a folder above it does not', () => {
    const hooks = join(root, '.git/hooks');
    const accessWith = (writable: string[]) =>
      accessOf(planSandbox({ ...FACTS, writable }, 'workspace-write'), join(hooks, 'a'));
    expect([accessWith([hooks]), accessWith([root]), accessWith([base])]).toEqual([
      'writable',
      'read-only',
      'read-only',
    ]);
  });

  it.each([
    [join(root, 'a'), 'writable'],
    [join(root, '.git/hooks/a'), 'read-only'],
    [join(root, '.git/index'), 'writable'],
    [join(home, 'a'), 'read-only'],
    [join(home, '.npm/x'), 'writable'],
    [join(home, '.ssh/id'), 'hidden'],
    ['/tmp/a', 'writable'],
    ['/run/docker.sock', 'hidden'],
    ['/etc/passwd', 'read-only'],
  ])('knows %s as %s', (path, access) => {
    expect(accessOf(plan, path)).toBe(access);
  });

  it('lets nothing be written in the profile read-only', () => {
    const readOnly = planSandbox(FACTS, 'read-only');
    expect([join(root, 'a'), join(home, '.npm/x')].map((path) => accessOf(readOnly, path))).toEqual([
      'read-only',
      'read-only',
    ]);
  });
});

describe('a denial', () => {
  const offers = [{ kind: 'write', path: join(home, 'new/file'), offer: home }];
  it.each([
    ['bash', `bash: line 1: ${join(home, 'new/file')}: Read-only file system`],
    ['bash by its path', `/bin/bash: line 1: ${join(home, 'new/file')}: Read-only file system`],
    ['touch', `touch: cannot touch '${join(home, 'new/file')}': Read-only file system`],
    ['node', `Error: EROFS: read-only file system, open '${join(home, 'new/file')}'`],
    ['python', `OSError: [Errno 30] Read-only file system: '${join(home, 'new/file')}'`],
    ['git', `fatal: could not open '${join(home, 'new/file')}' for writing: Read-only file system`],
  ])('of a path is recognised as %s words it', (_, line) => {
    expect(find(`one line\n${line}\n`)).toEqual(offers);
  });

  it('of a hidden file is recognised', () => {
    const path = join(home, '.ssh/id');
    expect(find(`cat: ${path}: Permission denied`)).toEqual([{ kind: 'read', path, offer: path }]);
  });

  it.each([
    ['a test suite that prints the words', 'not ok 1 - permission denied\nError: permission denied'],
    ['a path that is writable', `cp: ${join(root, 'a')}: Permission denied`],
    ['a path that does not exist', 'cat: /nowhere/at/all: No such file or directory'],
    ['a file that is readable and was not found', `cat: ${join(home, 'none')}: No such file or directory`],
  ])('is not found in %s', (_, output) => {
    expect(find(output)).toEqual([]);
  });

  it('is not looked for in a command that succeeded', () => {
    expect(find(`warning: ${join(home, 'x')}: Read-only file system`, 0)).toEqual([]);
  });

  it('of a host is in the log of the proxy, and nowhere else', () => {
    const denied = { call: 'c', host: 'evil.example', port: 443, isAllowed: false, why: 'no' };
    const asked = { ...denied, call: undefined, port: 0 };
    const fine = { ...denied, host: 'good.example', isAllowed: true };
    const found = findDenials({ output: 'Could not resolve host: other.example', exitCode: 6 }, plan, [
      asked,
      denied,
      fine,
    ]);
    expect(found).toEqual([{ kind: 'host', host: 'evil.example', port: 443, why: 'no' }]);
  });
});
