import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
/** What AGENTS.md asks to name instead: user, caller, model, terminal; invalid, unknown. `nobody` is also a user of Unix. */
const AVOIDED = /(?<!`)\b(?:[Nn]obody|[Ss]omebody|[Ww]ho(?:m)?ever)\b|\bcannot be meant\b/;

/** The source with its comments and sentences, and every page; test titles are read by us alone. */
function pagesAndSources(): string[] {
  const places = ['README.md', 'ARCHITECTURE.md', 'docs', 'packages', 'examples'];
  const listed = execFileSync('git', ['ls-files', '-co', '--exclude-standard', ...places], {
    cwd: ROOT,
    encoding: 'utf8',
  });
  return listed
    .split('\n')
    .filter((file) => /\.(?:md|[cm]?[jt]sx?)$/.test(file) && !/\.(?:test|test-d|fixture)\.tsx?$/.test(file));
}

describe('the words of source and pages', () => {
  it('name the user, the caller, the model or the terminal', () => {
    const files = pagesAndSources();
    expect(files.length).toBeGreaterThan(1000);
    const found = files.flatMap((file) =>
      readFileSync(join(ROOT, file), 'utf8')
        .split('\n')
        .flatMap((line, index) => (AVOIDED.test(line) ? [`${file}:${index + 1}: ${line.trim()}`] : [])),
    );
    expect(found).toEqual([]);
  });
});
