/** What `npm pack` would publish: licence, page and notices are in it, nothing of the builder's machine is. */

import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const read = (...path: string[]) => readFileSync(join(ROOT, ...path), 'utf8');

/** Of each package, the paths in its archive. One npm lists both: its start costs more than the lists. */
function packedPaths(): Map<string, string[]> {
  const printed = execFileSync(
    'npm',
    ['pack', '--dry-run', '--json', '--ignore-scripts', ...PACKAGES.flatMap(toOption)],
    {
      cwd: ROOT,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    },
  );
  const packed = JSON.parse(printed) as Packed[] | Record<string, Packed>;
  return new Map(Object.values(packed).map(({ name, files }) => [name, files.map(({ path }) => path)]));
}

interface Packed {
  readonly name: string;
  readonly files: readonly { readonly path: string }[];
}

const PACKAGES = [
  ['castor', 'cli'],
  ['@castor/core', 'core'],
] as const;
const toOption = ([name]: readonly [string, string]) => ['-w', name];
const paths = packedPaths();

describe.each(PACKAGES)('the package %s', (name, folder) => {
  it('holds its licence and its page', () => {
    const contents = paths.get(name);
    expect(contents).toEqual(expect.arrayContaining(['LICENSE', 'README.md', 'package.json']));
    expect(contents).not.toContain('dist/meta.json');
    expect(read('packages', folder, 'LICENSE')).toBe(read('LICENSE'));
  });
});

describe('the notices of bundled code', () => {
  const notices = read('packages', 'cli', 'dist', 'NOTICES.txt');

  it.each(['ink', 'react', 'highlight.js', '@xterm/headless'])('have the licence of %s', (name) => {
    expect(notices).toMatch(new RegExp(`^${name.replace('.', '\\.')} \\d`, 'm'));
  });

  it('have the licence of the bundled facts about models', () => {
    expect(notices).toMatch(/^models\.dev, .*\n\nMIT License\n\nCopyright/m);
  });

  it('are shipped, with the words the licences ask for', () => {
    expect(paths.get('castor')).toContain('dist/NOTICES.txt');
    expect(notices).toContain('Permission is hereby granted, free of charge');
  });
});
