import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

describe('the source', () => {
  it('imports nothing from node:crypto: the bundle would copy its exports, and one of them prints a deprecation', () => {
    const files = execFileSync('git', ['ls-files', 'packages/core/src', 'packages/cli/src'], {
      cwd: ROOT,
      encoding: 'utf8',
    })
      .split('\n')
      .filter((file) => /\.tsx?$/.test(file) && !/\.(?:test|test-d|fixture)\.tsx?$/.test(file));
    expect(files.length).toBeGreaterThan(500);
    const importing = files.filter((file) => /^import .*'node:crypto'/m.test(readFileSync(join(ROOT, file), 'utf8')));
    expect(importing).toEqual([]);
  });
});
