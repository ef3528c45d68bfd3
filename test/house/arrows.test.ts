/** The arrows of ARCHITECTURE.md are lint rules; these fixtures show that each of them bites. */

import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** The rules each file breaks, sorted: all files are linted in one run, in a tree of their own. */
function lint(files: Record<string, string>): Record<string, string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'castor-arrows-'));
  try {
    copyFileSync(join(ROOT, 'oxlint.config.ts'), join(folder, 'oxlint.config.ts'));
    for (const [path, source] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), source);
    }
    const { stdout } = spawnSync(join(ROOT, 'node_modules/.bin/oxlint'), ['--format=json', '.'], {
      cwd: folder,
      encoding: 'utf8',
    });
    const { diagnostics } = JSON.parse(stdout) as { diagnostics: { code: string; filename: string }[] };
    const broken = diagnostics.toSorted((left, right) => (left.code < right.code ? -1 : 1));
    return Object.fromEntries(
      Object.keys(files).map((path) => [
        path,
        broken.filter(({ filename }) => filename === path).map(({ code }) => code),
      ]),
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const IMPORTS = 'eslint(no-restricted-imports)';

/** What is refused, where, the line that does it, and the rule that says so. */
const REFUSED: [what: string, path: string, source: string, rule?: string][] = [
  ['chat to turn', 'core/src/chat/up.ts', "export { a } from '../turn/b.ts';"],
  ['chat to turn, as a type', 'core/src/chat/type.ts', "import type { A } from '../turn/b.ts';\nexport type B = A;"],
  ['chat to turn, lazily', 'core/src/chat/lazy.ts', "export const a = () => import('../turn/b.ts');"],
  ['a nested model file to chat', 'core/src/provider/gemini/up.ts', "export { a } from '../../chat/b.ts';"],
  ['chat to a provider', 'core/src/chat/provider.ts', "export { a } from '../provider/gemini/generator.ts';"],
  ['protocol to a built-in module', 'core/src/protocol/builtin.ts', "export { join } from 'node:path';"],
  ['agent to the built-in tools', 'core/src/agent/up.ts', "export { a } from '../tools/builtin/index.ts';"],
  ['the bash reader to the engine', 'core/src/policy/shell/up.ts', "export { a } from '../policy-engine.ts';"],
  ['the bash reader to tools', 'core/src/policy/shell/far.ts', "export { a } from '../../tools/b.ts';"],
  ['chat to the disk', 'core/src/chat/disk.ts', "export { readFile } from 'node:fs/promises';"],
  ['chat to processes', 'core/src/chat/processes.ts', "export { spawn } from 'child_process';"],
  ['core to React', 'core/src/agent/react.ts', "export { useState } from 'react';"],
  ['cli deep into core', 'cli/src/deep.ts', "export { a } from '@castor/core/src/chat/b.ts';"],
  ['cli past the package', 'cli/src/past.ts', "export { a } from '../../core/src/chat/b.ts';"],
  ['testkit to the cli', 'testkit/src/up.ts', "export { a } from 'castor';"],
  ['core to the console', 'core/src/chat/console.ts', 'console.log(1);', 'eslint(no-console)'],
  ['core to stdout', 'core/src/chat/out.ts', 'export const a = process.stdout;', 'eslint(no-restricted-properties)'],
  ['core to the environment', 'core/src/chat/env.ts', "export const a = process.env['A'];", 'node(no-process-env)'],
  [
    'a cycle of values',
    'core/src/util/cycle.ts',
    "import { b } from './other.ts';\nexport const a = () => b;",
    'import(no-cycle)',
  ],
];

const ALLOWED: [what: string, path: string, source: string][] = [
  [
    'create-agent to a provider',
    'core/src/agent/create-agent.ts',
    "export { a } from '../provider/gemini/generator.ts';",
  ],
  ['the bash reader to a rule', 'core/src/policy/shell/down.ts', "export { a } from '../rule.ts';"],
  [
    'recordings to the disk',
    'core/src/recordings/run-recorder.ts',
    "export const a = () => import('node:fs/promises');",
  ],
  ['config to the environment', 'core/src/config/env.ts', "export const a = process.env['A'];"],
  ['a test to the testkit', 'core/src/chat/a.test.ts', "export { fakeModel } from '@castor/testkit';"],
  ['cli to core', 'cli/src/down.ts', "export { Turn } from '@castor/core';"],
];

interface Pair {
  from: string;
  to: string;
  isOpen: boolean;
  path: string;
}

/** Every pair of rooms that a table of the map speaks of. Its rows: room, owns, refuses, imports. */
function pairsOf(heading: string, source: string, everywhere: readonly string[]): Pair[] {
  const map = readFileSync(join(ROOT, 'ARCHITECTURE.md'), 'utf8');
  const section = map.split(`## ${heading}\n`)[1]!.split('\n## ')[0]!;
  const rows = [...section.matchAll(/^\| `([a-z-]+)\/` \|.*\| ([^|]*) \|$/gm)];
  const rooms = rows.map(([, room, imports]) => ({ room: room!, imports: imports!.split(', ') }));
  return rooms.flatMap(({ room: from, imports }) =>
    rooms
      .filter(({ room: to }) => to !== from)
      .map(({ room: to }) => {
        const isOpen = from !== 'protocol' && (everywhere.includes(to) || imports.includes(to));
        return { from, to, isOpen, path: `packages/${source}/${from}/to-${to}.ts` };
      }),
  );
}

const PAIRS = [
  ...pairsOf('Rooms of core', 'core/src', ['protocol', 'util']),
  ...pairsOf('Rooms of the cli', 'cli/src', []),
  ...pairsOf('Rooms of the terminal', 'cli/src/tui', []),
];

describe('the arrows', () => {
  let broken: Record<string, string[]>;

  beforeAll(() => {
    const fixtures = [...REFUSED, ...ALLOWED].map(([, path, source]) => [`packages/${path}`, source]);
    const pairs = PAIRS.map(({ path, to }) => [path, `export { a } from '../${to}/b.ts';`]);
    const other = "import { a } from './cycle.ts';\nexport const b = () => a;";
    broken = lint({ ...Object.fromEntries([...fixtures, ...pairs]), 'packages/core/src/util/other.ts': other });
    // A linter on a busy machine.
  }, 300_000);

  it.each(REFUSED)('refuse %s', (_, path, __, rule = IMPORTS) => {
    expect(broken[`packages/${path}`]).toEqual([rule]);
  });

  it.each(ALLOWED)('allow %s', (_, path) => {
    expect(broken[`packages/${path}`]).toEqual([]);
  });

  it('are those of the map, for every pair of rooms', () => {
    const refused = PAIRS.filter(({ path }) => broken[path]!.length > 0);
    expect(refused).toEqual(PAIRS.filter(({ isOpen }) => !isOpen));
    expect(PAIRS.length).toBeGreaterThan(550);
  });

  it('name every room there is', () => {
    for (const [source, heading] of [
      ['core/src', 'core'],
      ['cli/src', 'the cli'],
      ['cli/src/tui', 'the terminal'],
    ] as const) {
      const folders = readdirSync(join(ROOT, 'packages', source), { withFileTypes: true }).filter((entry) =>
        entry.isDirectory(),
      );
      const named = new Set(pairsOf(`Rooms of ${heading}`, source, []).map(({ from }) => from));
      expect([...named].toSorted()).toEqual(folders.map(({ name }) => name).toSorted());
    }
  });
});
