/** ARCHITECTURE.md and AGENTS.md leave nothing out: every folder, helper and command is named. */

import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const FILES = execFileSync('git', ['ls-files', '-co', '--exclude-standard'], { cwd: ROOT, encoding: 'utf8' })
  .trim()
  .split('\n');

/** The first group of every file that matches, each once. */
function namesIn(pattern: RegExp): string[] {
  return [...new Set(FILES.flatMap((file) => pattern.exec(file)?.[1] ?? []))];
}

function read(page: string): string {
  return readFileSync(join(ROOT, page), 'utf8');
}

describe('the whole map', () => {
  it('AGENTS.md names every folder of test/', () => {
    const folders = new Set(FILES.flatMap((file) => /^test\/([^/]+)\//.exec(file)?.[1] ?? []));
    expect(folders.size).toBeGreaterThan(10);
    expect([...folders].filter((folder) => !read('AGENTS.md').includes(`\`${folder}/\``))).toEqual([]);
  });

  it('ARCHITECTURE.md names every command of the program, every helper of util/ and every folder of a room', () => {
    const map = read('ARCHITECTURE.md');
    const row = map.split('\n').find((line) => line.startsWith('| `commands/`')) ?? '';
    // From the program's help: two spaces, the name, what it does.
    const help = read('packages/cli/src/args/help.ts').split('Commands:')[1]?.split('\n\n')[0] ?? '';
    const commands = [...help.matchAll(/^ {2}(\w+) {2,}/gm)].map(([, name]) => name!);
    expect(commands.length).toBeGreaterThan(10);
    expect(commands.filter((name) => !row.includes(`\`${name}\``) && !row.includes(`castor ${name}`))).toEqual([]);
    const helpers = namesIn(/^packages\/core\/src\/util\/([^/.]+)\.ts$/);
    expect(helpers.filter((name) => !map.includes(`\`${name}\``))).toEqual([]);
    const folders = namesIn(/^packages\/c(?:ore|li)\/src\/[^/]+\/([^/]+)\//);
    expect(folders.length).toBeGreaterThan(20);
    expect(folders.filter((name) => !map.includes(`${name}/`))).toEqual([]);
  });
});
