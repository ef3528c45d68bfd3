import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { setTrust } from './set-trust.ts';
import { TrustedFolders } from './trusted-folders.ts';

function setUp(entries?: Record<string, string> | string) {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'castor-trust-')));
  onTestFinished(() => rmSync(base, { recursive: true, force: true }));
  for (const folder of ['a/b/c', 'd']) mkdirSync(join(base, folder), { recursive: true });
  const path = join(base, 'trustedFolders.json');
  if (entries !== undefined) {
    const text =
      typeof entries === 'string'
        ? entries
        : JSON.stringify(Object.fromEntries(Object.entries(entries).map(([key, value]) => [join(base, key), value])));
    writeFileSync(path, text.replaceAll('BASE', base), { mode: 0o600 });
  }
  const check = (folder: string) =>
    TrustedFolders.load(path).check({ folder: join(base, folder), enabled: true }).trusted;
  return { base, path, check };
}

describe('a folder', () => {
  it('without a decision is neither trusted nor distrusted', () => {
    expect(setUp().check('a')).toBe(undefined);
  });

  it('is decided by the longest entry around it', () => {
    const { check } = setUp({ a: 'TRUST_FOLDER', 'a/b': 'DO_NOT_TRUST', 'a/b/c': 'TRUST_FOLDER' });
    expect([check('a'), check('a/b'), check('a/b/c'), check('d')]).toEqual([true, false, true, undefined]);
  });

  it('is trusted with its parent', () => {
    const { check } = setUp({ 'a/b': 'TRUST_PARENT' });
    expect([check('a'), check('a/b/c'), check('d')]).toEqual([true, true, undefined]);
  });

  it('is distrusted where two entries of one length disagree', () => {
    expect(setUp({ 'a/b': 'TRUST_PARENT', a: 'DO_NOT_TRUST' }).check('a')).toBe(false);
  });

  it('is judged by its real path, and not by a name that only begins the same', () => {
    const { base, check } = setUp({ a: 'TRUST_FOLDER' });
    symlinkSync(join(base, 'd'), join(base, 'a', 'link'));
    symlinkSync(join(base, 'a'), join(base, 'alias'));
    mkdirSync(join(base, 'a-evil'));
    expect([check('a/link'), check('alias'), check('a-evil')]).toEqual([undefined, true, undefined]);
  });

  it('cannot borrow trust with a .git file that points at a trusted repository', () => {
    const { base, check } = setUp({ a: 'TRUST_FOLDER' });
    mkdirSync(join(base, 'a', '.git', 'worktrees', 'x'), { recursive: true });
    writeFileSync(join(base, 'd', '.git'), `gitdir: ${join(base, 'a', '.git', 'worktrees', 'x')}\n`);
    writeFileSync(join(base, 'd', 'commondir'), join(base, 'a', '.git'));
    expect(check('d')).toBe(undefined);
  });

  it('follows the override, then the editor, then the file', () => {
    const { base, path } = setUp({ a: 'TRUST_FOLDER' });
    const folders = TrustedFolders.load(path);
    const folder = join(base, 'a');
    expect(folders.check({ folder, enabled: true, override: false, ide: true })).toEqual({
      trusted: false,
      source: 'override',
    });
    expect(folders.check({ folder, enabled: true, ide: false })).toEqual({ trusted: false, source: 'ide' });
    expect(folders.check({ folder, enabled: true })).toEqual({ trusted: true, source: 'file', path: folder });
    expect(folders.check({ folder, enabled: false, override: false })).toEqual({ trusted: true, source: 'disabled' });
  });
});

describe('the file of trusted folders', () => {
  it('may have comments and keeps them when an entry is added or changed', () => {
    const { base, path } = setUp('// mine\n{\n  /* work */ "BASE/a": "TRUST_FOLDER", // yes\n}\n');
    setTrust(path, join(base, 'd'), 'DO_NOT_TRUST');
    setTrust(path, join(base, 'a'), 'DO_NOT_TRUST');
    expect(readFileSync(path, 'utf8')).toBe(
      `// mine\n{\n  /* work */ "${base}/a": "DO_NOT_TRUST", // yes\n  "${base}/d": "DO_NOT_TRUST"\n}\n`,
    );
    expect(TrustedFolders.load(path).check({ folder: join(base, 'd'), enabled: true }).trusted).toBe(false);
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it('is made when there is none, for the owner only', () => {
    const { base, path } = setUp();
    setTrust(path, join(base, 'a'), 'TRUST_FOLDER');
    expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual({ [join(base, 'a')]: 'TRUST_FOLDER' });
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it('takes entries into an empty object', () => {
    const { base, path } = setUp('{}');
    setTrust(path, join(base, 'a'), 'TRUST_FOLDER');
    expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual({ [join(base, 'a')]: 'TRUST_FOLDER' });
  });

  it.each(['[]', '{"a": 1}', '{"a": "TRUST_FOLDER"', 'nonsense', '{"a": {}}'])(
    'trusts nothing and is left alone when it is %s',
    (text) => {
      const { base, path } = setUp(text);
      const folders = TrustedFolders.load(path);
      expect([folders.problems.length, folders.check({ folder: base, enabled: true }).trusted]).toEqual([1, undefined]);
      expect(() => setTrust(path, base, 'TRUST_FOLDER')).toThrow('was not changed');
      expect(readFileSync(path, 'utf8')).toBe(text);
    },
  );

  it('names an entry it does not know', () => {
    const { base, path } = setUp({ a: 'TRUST_ALL' });
    const folders = TrustedFolders.load(path);
    expect(folders.problems).toEqual([
      `${path}: ${join(base, 'a')}: "TRUST_ALL" is not one of TRUST_FOLDER, TRUST_PARENT, DO_NOT_TRUST.`,
    ]);
    expect(folders.check({ folder: join(base, 'a'), enabled: true }).trusted).toBe(undefined);
  });

  it('trusts nothing when others can write it', () => {
    const { path, check } = setUp({ a: 'TRUST_FOLDER' });
    chmodSync(path, 0o666);
    expect(check('a')).toBe(undefined);
  });
});
