/** The arrows of ARCHITECTURE.md are lint rules; these fixtures show that each of them bites. */

import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

/** The rules each file breaks, sorted: all files are linted in one run, in a tree of their own. */
function lint(files: Record<string, string>): Record<string, string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'castor-arrows-'));
  try {
    copyFileSync(join(ROOT, '.oxlintrc.json'), join(folder, '.oxlintrc.json'));
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
  ['a nested model file to chat', 'core/src/model/gemini/up.ts', "export { a } from '../../chat/b.ts';"],
  ['chat to a provider', 'core/src/chat/provider.ts', "export { a } from '../model/gemini/generator.ts';"],
  ['protocol to util', 'core/src/protocol/up.ts', "export { a } from '../util/b.ts';"],
  ['protocol to a built-in module', 'core/src/protocol/builtin.ts', "export { join } from 'node:path';"],
  ['util to model', 'core/src/util/up.ts', "export { a } from '../model/b.ts';"],
  ['client to scheduler', 'core/src/client/up.ts', "export { a } from '../scheduler/b.ts';"],
  ['scheduler to client', 'core/src/scheduler/up.ts', "export { a } from '../client/b.ts';"],
  ['tools to session', 'core/src/tools/up.ts', "export { a } from '../session/b.ts';"],
  ['policy to scheduler', 'core/src/policy/up.ts', "export { a } from '../scheduler/b.ts';"],
  ['hooks to client', 'core/src/hooks/up.ts', "export { a } from '../client/b.ts';"],
  ['transcript to turn', 'core/src/transcript/up.ts', "export { a } from '../turn/b.ts';"],
  ['turn to config', 'core/src/turn/up.ts', "export { a } from '../config/b.ts';"],
  ['session to the built-in tools', 'core/src/session/up.ts', "export { a } from '../tools/builtin/index.ts';"],
  ['chat to the disk', 'core/src/chat/disk.ts', "export { readFile } from 'node:fs/promises';"],
  ['chat to processes', 'core/src/chat/processes.ts', "export { spawn } from 'child_process';"],
  ['core to React', 'core/src/session/react.ts', "export { useState } from 'react';"],
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
  ['turn to chat', 'core/src/turn/down.ts', "export { a } from '../chat/b.ts';"],
  ['session to scheduler', 'core/src/session/down.ts', "export { a } from '../scheduler/b.ts';"],
  [
    'create-agent to a provider',
    'core/src/session/create-agent.ts',
    "export { a } from '../model/gemini/generator.ts';",
  ],
  ['replay to the disk', 'core/src/model/replay.ts', "export const a = () => import('node:fs/promises');"],
  ['config to the environment', 'core/src/config/env.ts', "export const a = process.env['A'];"],
  ['a test to the testkit', 'core/src/chat/a.test.ts', "export { fakeModel } from '@castor/testkit';"],
  ['cli to core', 'cli/src/down.ts', "export { Turn } from '@castor/core';"],
];

describe('the arrows', () => {
  let broken: Record<string, string[]>;

  beforeAll(() => {
    const fixtures = [...REFUSED, ...ALLOWED].map(([, path, source]) => [`packages/${path}`, source]);
    const other = "import { a } from './cycle.ts';\nexport const b = () => a;";
    broken = lint({ ...Object.fromEntries(fixtures), 'packages/core/src/util/other.ts': other });
  });

  it.each(REFUSED)('refuse %s', (_, path, __, rule = IMPORTS) => {
    expect(broken[`packages/${path}`]).toEqual([rule]);
  });

  it.each(ALLOWED)('allow %s', (_, path) => {
    expect(broken[`packages/${path}`]).toEqual([]);
  });
});
