/** The repositories that an index names, in every version of its format that git writes. */

import { execFileSync } from 'node:child_process';
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { linkedRepositories, submoduleFolders } from './git-folders.ts';

it.each([
  ['2', 'sha1'],
  ['3', 'sha1'],
  ['4', 'sha1'],
  ['2', 'sha256'],
  ['4', 'sha256'],
])('finds them in version %s with %s', (version, format) => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'castor-index-')));
  try {
    const hash = '1'.repeat(format === 'sha1' ? 40 : 64);
    const entries = ['a/deep/one', 'a/deep/other', 'z'].map(
      (path) => `git update-index --add --cacheinfo 160000,${hash},${path}`,
    );
    const line = [
      `git init -q --object-format=${format} . && git config index.version ${version}`,
      'mkdir -p a/deep b && for i in $(seq 30); do echo $i > a/file-number-$i; echo $i > b/$i; done && git add .',
      ...entries,
      ...(version === '3' ? ['git add -N b/1 && echo n > b/new && git add -N b/new'] : []),
      `git update-index --index-version ${version === '3' ? '2' : version}`,
    ].join(' && ');
    execFileSync('/bin/bash', ['-ec', line], { cwd: root, stdio: 'pipe' });
    expect(linkedRepositories(root)).toEqual(['a/deep/one', 'a/deep/other', 'z'].map((path) => join(root, path)));
    execFileSync(
      '/bin/bash',
      [
        '-ec',
        'mkdir -p .git/modules/libs/x/modules/y && touch .git/modules/libs/x/HEAD .git/modules/libs/x/modules/y/HEAD && rm .git/index',
      ],
      { cwd: root },
    );
    expect(submoduleFolders(join(root, '.git'))).toEqual(
      ['libs/x', 'libs/x/modules/y'].map((path) => join(root, '.git/modules', path)),
    );
    expect(linkedRepositories(root)).toEqual([]);
  } finally {
    rmSync(root, { recursive: true });
  }
});
