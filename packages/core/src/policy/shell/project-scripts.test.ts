import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { BUILTIN_RULES } from '../builtin-rules.ts';
import { PolicyEngine } from '../policy-engine.ts';
import { SESSION_RULE_SOURCE } from '../rule.ts';
import type { PolicyRule } from '../rule.ts';

const base = realpathSync(mkdtempSync(join(tmpdir(), 'castor-scripts-')));
afterAll(() => rmSync(base, { recursive: true, force: true }));
const home = join(base, 'home');
const root = join(home, 'project');
const write = (path: string, text: string) => {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
};

write(
  'package.json',
  JSON.stringify({
    scripts: {
      test: 'vitest run --env-file .env',
      setup: 'cp .env.example .env && npm run build',
      build: 'tsc -b',
      outer: 'npm run -s inner',
      inner: 'yarn setup',
      postrelease: 'echo A=1 >> .env.local',
      release: 'node release.mjs',
      loop: 'npm run loop',
      pull: 'git pull && tsc -b',
      prepare: 'test -f .env || cp .env.example .env',
      start: "sh -c 'env $(cat .env) node x.js'",
    },
  }),
);
write('app/package.json', JSON.stringify({ scripts: { test: 'mocha', env: 'printf A=1 > ../.env' } }));
write(
  'Makefile',
  [
    'ENV = .env',
    'all: build',
    'build: lib/a.o',
    '\t$(CC) -o $@ $<',
    '\t@echo built',
    'lib/%.o: lib/%.c',
    '\t$(CC) -c $<',
    '.PHONY: all setup',
    'setup: .env build',
    '.env: .env.example',
    '\tcp $< $@',
    'deep:',
    '\t@$(MAKE) -s setup',
    'split: ; @cp .env.example \\',
    '\t  .env',
    'expand:',
    '\techo A=1 > $(ENV)',
    'run:',
    '\tdocker run --env-file .env image',
  ].join('\n'),
);
write('justfile', 'build:\n  cargo build\n\nsetup arg="x":\n  cp .env.example .env\n');
write('scripts/setup.sh', '#!/usr/bin/env bash\nset -euo pipefail\nhere=.\ncat > "$here/.env" <<EOF\nA=1\nEOF\n');
write('scripts/plain.sh', '#!/bin/sh\n. ./.env\nnpm test\n');
write('scripts/git.sh', '#!/bin/sh\ncd ../other\n/usr/bin/git status\n');
write('scripts/tool.py', '#!/usr/bin/env python3\nopen(".env", "w")\n');

function ruleFor(commandPrefix?: string): PolicyRule {
  const rule: PolicyRule = {
    ...{ toolName: 'run_shell_command', decision: 'allow', priority: 4.1, kind: 'user' },
    source: { name: 'test.toml', line: 1 },
  };
  return commandPrefix === undefined ? rule : { ...rule, commandPrefix };
}

async function check(command: string, rule = ruleFor(), mode: 'default' | 'yolo' = 'default') {
  const engine = new PolicyEngine({ rules: [...BUILTIN_RULES, rule], root, home, guardsGit: true });
  return engine.check({ toolName: 'run_shell_command', args: { command } }, { mode, interactive: true });
}

describe('the text of a script of the project', () => {
  it.each([
    ...['npm run setup', 'npm run-script setup', 'yarn setup', 'pnpm run setup', 'bun run setup', 'npm run outer'],
    ...['npm run release', 'npm run pull', 'npm install', 'npm ci', 'cd app && npm run env'],
    ...['make setup', 'make deep', 'make split', 'make expand', 'make -s .env', 'just setup'],
    ...['./scripts/setup.sh', 'cd scripts && ./setup.sh', 'npm run setup -- --fast'],
  ])('asks where it writes a file .env: %s', async (command) => {
    const { decision, reason } = await check(command);
    expect([decision, reason]).toEqual(['ask_user', expect.stringContaining('.env')]);
  });

  it.each([
    ...['npm test', 'npm run build', 'npm run loop', 'npm start', 'yarn test', 'npm run missing', 'npm install lodash'],
    ...[
      'make',
      'make build',
      'make run',
      'make all',
      'just build',
      './scripts/plain.sh',
      './scripts/tool.py',
      'npx vitest',
    ],
  ])('leaves others alone: %s', async (command) => {
    expect(await check(command)).toMatchObject({ decision: 'allow' });
  });

  it.each([
    ['npm run setup', 'npm run setup'],
    ['make setup', 'make setup'],
    ['./scripts/setup.sh', './scripts/setup.sh'],
  ])('is covered by a rule for %s', async (prefix, command) => {
    expect(await check(command, ruleFor(prefix))).toMatchObject({ decision: 'allow' });
  });

  it.each([['npm run'], ['make'], ['npm']])('is not covered by a rule for %s', async (prefix) => {
    const command = prefix === 'make' ? 'make setup' : 'npm run setup';
    expect(await check(command, ruleFor(prefix))).toMatchObject({ decision: 'ask_user' });
  });

  it('asks again about a command that changed one, with that reason, whatever was answered before', async () => {
    const engine = new PolicyEngine({ rules: BUILTIN_RULES, root, home });
    const call = { toolName: 'run_shell_command', args: { command: 'node gen.cjs' } };
    const decide = () => engine.check(call, { mode: 'default', interactive: true });
    const always = { ...ruleFor('node gen.cjs'), source: { name: SESSION_RULE_SOURCE } };
    engine.addRule(always);
    expect(await decide()).toMatchObject({ decision: 'allow' });
    await engine.noteEnvironmentWriter('cd app && node gen.cjs');
    const reason = 'node gen.cjs changed a file .env before in this session';
    expect(await decide()).toMatchObject({ decision: 'ask_user', reason });
    engine.addRule(always);
    expect(await decide()).toMatchObject({ decision: 'allow' });
  });

  it('may write it in yolo mode', async () => {
    expect(await check('npm run setup', ruleFor(), 'yolo')).toMatchObject({ decision: 'allow' });
  });

  it.each(['./scripts/git.sh', 'bash scripts/git.sh', 'sh ./scripts/git.sh'])(
    'asks in every mode where it runs a git that Castor does not guard: %s',
    async (command) => {
      const { decision, reason } = await check(command, ruleFor(), 'yolo');
      expect([decision, reason]).toEqual(['ask_user', expect.stringContaining('a repository configures')]);
    },
  );
});
