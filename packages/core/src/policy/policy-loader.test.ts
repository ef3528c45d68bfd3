import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Source, SourceKind } from '../protocol/source.ts';
import { describeProblem, loadPolicies } from './policy-loader.ts';

const rule = (toolName: string, decision = 'deny') =>
  `[[rule]]\ntoolName = "${toolName}"\ndecision = "${decision}"\npriority = 100\n`;

function setUp() {
  const home = mkdtempSync(join(tmpdir(), 'castor-policy-'));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  const folder = (name: string, files: Record<string, string>) => {
    const path = join(home, name);
    mkdirSync(path, { recursive: true });
    for (const [file, text] of Object.entries(files)) writeFileSync(join(path, file), text);
    return path;
  };
  const source = (kind: SourceKind, directory: string): Source => ({ kind, name: kind, directory, trusted: true });
  const user = source('user', join(home, '.gemini'));
  const load = async (options: Partial<Parameters<typeof loadPolicies>[0]> = {}) => {
    const loaded = await loadPolicies({ sources: [user], platform: 'linux', ...options });
    return {
      ...loaded,
      written: loaded.rules
        .filter(({ source }) => source.name.startsWith('/'))
        .map(({ toolName, priority }) => [toolName, priority]),
    };
  };
  return { policies: join(home, '.gemini/policies'), folder, source, user, load };
}

describe('the policies', () => {
  it('of a person are the TOML files of one folder', async () => {
    const { policies, folder, load } = setUp();
    folder('.gemini/policies', { 'b.toml': rule('b'), 'a.toml': rule('a'), 'c.txt': rule('c'), '.d.toml': rule('d') });
    const { written, files } = await load();
    expect(written).toEqual([
      ['a', 4.1],
      ['b', 4.1],
    ]);
    expect(files).toEqual([join(policies, 'a.toml'), join(policies, 'b.toml')]);
  });

  it("given by path replace the person's folder", async () => {
    const { folder, load } = setUp();
    folder('.gemini/policies', { 'a.toml': rule('a') });
    const other = folder('other', { 'x.toml': rule('x') });
    expect((await load({ policyPaths: [join(other, 'x.toml')] })).written).toEqual([['x', 4.1]]);
  });

  it('rank by the kind of their source, whatever the order of the sources', async () => {
    const { folder, source, user, load } = setUp();
    folder('.gemini/policies', { 'a.toml': rule('a') });
    const extension = dirname(folder('extension/policies', { 'a.toml': rule('a') }));
    const { written } = await load({
      sources: [source('extension', extension), user],
      adminPolicyPaths: [folder('admin', { 'a.toml': rule('a') })],
    });
    expect(written.map(([, priority]) => priority)).toEqual([2.1, 4.1, 5.1]);
  });

  it.each([
    ['a project', 'project', true],
    ['an extension that is not trusted', 'extension', false],
  ] as const)('of %s are not read', async (_, kind, trusted) => {
    const { folder, source, load } = setUp();
    const directory = dirname(folder('other/policies', { 'a.toml': rule('a') }));
    expect((await load({ sources: [{ ...source(kind, directory), trusted }] })).written).toEqual([]);
  });

  it('of the system are read only when root alone can write them', async () => {
    const { folder, source, load } = setUp();
    const admin = folder('admin/policies', { 'a.toml': rule('a') });
    const sources = [source('system', dirname(admin))];
    if (process.getuid?.() === 0) {
      chmodSync(admin, 0o755);
      chmodSync(join(admin, 'a.toml'), 0o644);
      expect((await load({ sources })).written).toEqual([['a', 5.1]]);
      chownSync(join(admin, 'a.toml'), 1234, 1234);
    }
    const byOwner = await load({ sources });
    expect([byOwner.written, byOwner.warnings.length]).toEqual([[], 1]);
    if (process.getuid?.() === 0) chownSync(join(admin, 'a.toml'), 0, 0);
    chmodSync(admin, 0o777);
    const byMode = await load({ sources });
    expect([byMode.written, byMode.warnings]).toEqual([[], [expect.stringContaining('must belong to root')]]);
  });

  it('that are missing or broken are named', async () => {
    const { policies, folder, load } = setUp();
    folder('.gemini/policies', { 'a.toml': '[[rule]]\ntoolName = "a"\ndecision = "maybe"\npriority = 1\n' });
    expect((await load()).problems.map(describeProblem)).toEqual([
      `${join(policies, 'a.toml')}:3: decision: "decision" must be one of allow, ask_user, deny`,
    ]);
    expect((await load({ policyPaths: ['/no/such/file.toml'] })).problems.map(describeProblem)).toEqual([
      '/no/such/file.toml: no such file or folder',
    ]);
  });
});
