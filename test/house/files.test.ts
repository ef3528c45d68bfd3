import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const LONGEST = 310;

function sourceFiles(folder: string): string[] {
  const listed = execFileSync('git', ['ls-files', '-co', '--exclude-standard', folder], {
    cwd: ROOT,
    encoding: 'utf8',
  });
  return listed.split('\n').filter((file) => /\.tsx?$/.test(file) && !/\.(?:test|test-d|fixture)\.tsx?$/.test(file));
}

describe('the files of the source', () => {
  it('are short enough to be read whole', () => {
    const files = sourceFiles('packages/core/src');
    expect(files.length).toBeGreaterThan(700);
    const lengths = files.map((file) => ({
      file,
      lines: readFileSync(join(ROOT, file), 'utf8').split('\n').length - 1,
    }));
    expect(lengths.filter(({ lines }) => lines > LONGEST)).toEqual([]);
  });
});
