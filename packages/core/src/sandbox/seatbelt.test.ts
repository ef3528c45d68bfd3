/** Profiles of macOS's seatbelt as text, from the plan that bubblewrap gets, and the words that start a program in one. */

import { chmodSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { planSandbox } from './sandbox-plan.ts';
import type { SandboxFacts } from './sandbox-plan.ts';
import { SeatbeltSandbox } from './seatbelt-sandbox.ts';
import { toSeatbeltProfile } from './seatbelt-profile.ts';

const FACTS: SandboxFacts = {
  home: '/Users/me',
  roots: ['/Users/me/work'],
  writable: ['/Users/me/notes'],
  readable: [],
  hidden: [
    { path: '/Users/me/.ssh', isFolder: true },
    { path: '/Users/me/.netrc', isFolder: false },
  ],
  caches: ['/Users/me/.npm'],
  protectedPaths: ['/Users/me/work/.git/hooks', '/Users/me/work/a "b"'],
  repository: [],
  temporary: '/private/tmp/box/tmp',
  emptyFile: '/private/tmp/box/hidden',
};
const OPTIONS = { roots: FACTS.roots, watched: ['/Users/me/work/.gemini'], proxyPort: 4000 };

/** What the last rule with this right says of a path, as seatbelt decides. */
function decide(text: string, right: string, path: string): string {
  let found = 'deny';
  for (const line of text.split('\n')) {
    const [, verdict = '', rights = ''] = /^\((allow|deny) ([^(]*)/.exec(line) ?? [];
    const names = rights.trim().split(' ');
    if (!names.some((name) => name === right || (name.endsWith('*') && right.startsWith(name.slice(0, -1))))) continue;
    const places = [...line.matchAll(/\((subpath|literal) "((?:[^"\\]|\\.)*)"\)/g)];
    const isMet = places.some(([, kind, written = '']) => {
      const place = written.replaceAll(/\\(.)/g, '$1');
      return path === place || (kind === 'subpath' && path.startsWith(place === '/' ? '/' : `${place}/`));
    });
    if (isMet) found = verdict;
  }
  return found;
}

describe('a profile of seatbelt', () => {
  const text = toSeatbeltProfile(planSandbox(FACTS, 'workspace-write'), OPTIONS);

  it.each<[right: string, path: string, verdict: string]>([
    ['file-read-data', '/usr/bin/env', 'allow'],
    ['file-write-data', '/usr/bin/env', 'deny'],
    ['file-write-data', '/Users/me/work/src/a.ts', 'allow'],
    ['file-write-data', '/Users/me/notes/a', 'allow'],
    ['file-write-data', '/Users/me/.npm/_cacache/a', 'allow'],
    ['file-write-data', '/private/tmp/box/tmp/a', 'allow'],
    ['file-write-data', '/Users/me/.bashrc', 'deny'],
    ['file-read-data', '/Users/me/.ssh/id', 'deny'],
    ['file-read-data', '/Users/me/.netrc', 'deny'],
    ['file-read-data', '/Users/me/work/.git/hooks/a', 'allow'],
    ['file-write-create', '/Users/me/work/.git/hooks/pre-commit', 'deny'],
    ['file-write-unlink', '/Users/me/work/.git', 'deny'],
    ['file-write-data', '/Users/me/work/.git/index', 'allow'],
    ['file-write-create', '/Users/me/work/.gemini/settings.json', 'deny'],
    ['file-write-data', '/Users/me/work/a "b"', 'deny'],
  ])('decides on %s of %s: %s', (right, path, verdict) => {
    expect(decide(text, right, path)).toBe(verdict);
  });

  it('denies by default, and reaches the proxy alone', () => {
    expect(text.split('\n').slice(0, 2)).toEqual(['(version 1)', '(deny default)']);
    expect(text.match(/network-outbound.*/g)).toEqual(['network-outbound (remote ip "localhost:4000"))']);
  });

  it('writes nothing of the workspace, and reaches nothing, in the profile read-only', () => {
    const only = toSeatbeltProfile(planSandbox(FACTS, 'read-only'), { ...OPTIONS, proxyPort: undefined });
    expect(decide(only, 'file-write-data', '/Users/me/work/src/a.ts')).toBe('deny');
    expect(decide(only, 'file-write-data', '/private/tmp/box/tmp/a')).toBe('allow');
    expect(only).not.toContain('network');
  });
});

it.skipIf(process.platform === 'win32')(
  'starts a program with its profile, its temporary folder and the proxy',
  async () => {
    const base = realpathSync(mkdtempSync(join(tmpdir(), 'castor-seatbelt-')));
    const [home, root, program] = [join(base, 'home'), join(base, 'work'), join(base, 'sandbox-exec')];
    for (const folder of [home, root]) mkdirSync(folder);
    writeFileSync(program, '#!/bin/sh\nexit 0\n');
    chmodSync(program, 0o755);
    const options = {
      ...{ home, roots: [root], environment: {}, quarantineDirectory: join(base, 'quarantine') },
      profile: () => 'workspace-write' as const,
      granted: () => ({ writable: [], readable: [] }),
      decideHost: async () => ({ isAllowed: false, why: 'no' }),
    };
    const sandbox = await SeatbeltSandbox.open(options, program);
    try {
      const environment = { PATH: '/bin', GH_TOKEN: 'x' };
      const given = { file: '/bin/sh', args: ['-c', 'true'], directory: root, environment };
      const { file, args, environment: inside } = await sandbox.confine(given, 'command');
      expect([file, args[0], ...args.slice(2)]).toEqual([program, '-f', '/bin/sh', '-c', 'true']);
      const text = readFileSync(args[1] ?? '', 'utf8');
      expect(decide(text, 'file-write-data', join(root, 'a'))).toBe('allow');
      expect(decide(text, 'file-write-data', join(inside['TMPDIR'] ?? '', 'a'))).toBe('allow');
      const [, port] = /@127\.0\.0\.1:(\d+)$/.exec(inside['HTTPS_PROXY'] ?? '') ?? [];
      expect(text).toContain(`(remote ip "localhost:${port}")`);
      expect([inside['SANDBOX'], inside['GH_TOKEN']]).toEqual(['sandbox-exec', undefined]);
    } finally {
      sandbox.dispose();
      rmSync(base, { recursive: true, force: true });
    }
  },
);
