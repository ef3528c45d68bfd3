/**
 * Every row of shell-bypasses.json is a command line that was tried, and the decision on it.
 * The same row inside substitutions, one in another, is decided no looser.
 */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, inject, it } from 'vitest';
import type { ApprovalMode } from '../approval-mode.ts';
import { BUILTIN_CHECKERS, BUILTIN_RULES } from '../builtin-rules.ts';
import { PolicyEngine } from '../policy-engine.ts';
import type { PolicyDecision, PolicyRule } from '../rule.ts';
import { STRICTNESS } from '../rule.ts';

interface Row {
  profile: 'builtin' | 'allowed' | 'tools' | 'denied' | 'yolo' | 'narrow' | 'wide' | 'forbidden' | 'edits' | 'setters';
  expect: PolicyDecision;
  command: string;
  threat: string;
}

const ROWS = JSON.parse(readFileSync(join(import.meta.dirname, 'shell-bypasses.json'), 'utf8')) as Row[];

function prefixRules(decision: PolicyDecision, prefixes: readonly string[]): PolicyRule[] {
  return prefixes.map((commandPrefix) => ({
    toolName: 'run_shell_command',
    commandPrefix,
    decision,
    priority: 4.5,
    kind: 'user',
    source: { name: 'test.toml', line: 1 },
  }));
}

const PROFILES: Record<Row['profile'], { mode: ApprovalMode; rules: PolicyRule[] }> = {
  builtin: { mode: 'default', rules: [] },
  allowed: {
    mode: 'default',
    rules: prefixRules('allow', [
      ...[
        'git',
        'npm test',
        'ls',
        'grep',
        'find',
        'echo',
        'cat',
        'sed',
        'tar',
        'awk',
        'rg',
        'man',
        'ssh',
        'npm',
        'env',
        'xargs',
      ],
      ...['python3', 'perl', 'node', 'ruby', 'php', 'pwsh', 'powershell', 'bash', 'sh', 'zsh', 'eval', 'f'],
    ]),
  },
  tools: {
    mode: 'default',
    rules: prefixRules('allow', [
      ...['make', 'rsync', 'sort', 'go', 'less', 'curl', 'pip', 'export', 'printf', 'mysql', 'openssl', 'parallel'],
      ...['docker', 'git', 'ls', 'echo', 'cat', 'gmake', 'zip'],
    ]),
  },
  /** Builtins that fill variables. */
  setters: {
    mode: 'default',
    rules: prefixRules('allow', [...['echo', 'cat', 'git', 'read', 'mapfile', 'printf', 'test', 'set', 'declare']]),
  },
  denied: { mode: 'yolo', rules: prefixRules('deny', ['shutdown', 'git push', 'rm -rf']) },
  yolo: { mode: 'yolo', rules: [] },
  narrow: { mode: 'default', rules: prefixRules('allow', ['ls', 'git status', 'cat', 'echo', 'npm test']) },
  wide: {
    mode: 'default',
    rules: prefixRules('allow', [
      'bat',
      'bun',
      'clang',
      'cmake',
      'curl',
      'eslint',
      'fd',
      'gcc',
      'gh',
      'git',
      'go',
      'helm',
      'java',
      'javac',
      'kubectl',
      'ls',
      'mail',
      'mvn',
      'node',
      'npm',
      'pandoc',
      'php',
      'pip',
      'pnpm',
      'pytest',
      'ruby',
      'rustc',
      'sqlite3',
      'strace',
      'systemctl',
      'terraform',
      'tree',
      'tsc',
      'yarn',
    ]),
  },
  forbidden: { mode: 'yolo', rules: prefixRules('deny', ['curl', 'git push', 'shutdown', 'rm -rf']) },
  edits: { mode: 'autoEdit', rules: [] },
};

/** Nothing of this exists: what is protected is so whether or not it is there. */
const home = '/home/castor-nobody';
const root = `${home}/project`;

const engines = new Map<Row['profile'], PolicyEngine>();

function decide({ profile }: Row, command: string) {
  const { mode, rules } = PROFILES[profile];
  let engine = engines.get(profile);
  if (engine === undefined) {
    engine = new PolicyEngine({ rules: [...BUILTIN_RULES, ...rules], checkers: BUILTIN_CHECKERS, root, home });
    engines.set(profile, engine);
  }
  return engine.check({ toolName: 'run_shell_command', args: { command } }, { mode, interactive: true });
}

describe('what a shell line comes to', () => {
  it('has at least 1500 rows', () => {
    expect(ROWS.length).toBeGreaterThanOrEqual(1500);
  });

  // One test for all rows of a threat: as many tests as rows would cost more than the decisions.
  it.each([...new Set(ROWS.map(({ threat }) => threat))])('is decided as written in each row of %s', async (threat) => {
    const wrong = [];
    for (const [index, row] of ROWS.entries()) {
      if (row.threat !== threat) continue;
      const { decision, reason } = await decide(row, row.command);
      if (decision !== row.expect) wrong.push({ index, ...row, decision, reason });
    }
    expect(wrong).toEqual([]);
  });
});

/** A row may end in a comment or a here-document, so the substitution ends on a line of its own. */
const SUBSTITUTIONS: readonly ((line: string) => string)[] = [
  (line) => `echo $(\n${line}\n)`,
  (line) => `echo "$(\n${line}\n)"`,
  (line) => `cat <(\n${line}\n)`,
  (line) => `echo a > >(\n${line}\n)`,
  (line) => `x=$(\n${line}\n)`,
  (line) => `echo \`\n${line.replaceAll(/[\\`$]/g, '\\$&')}\n\``,
  (line) => `echo \${x:-$(\n${line}\n)}`,
  (line) => `for i in $(\n${line}\n); do echo $i; done`,
  (line) => `[[ -n $(\n${line}\n) ]]`,
  (line) => `case $(\n${line}\n) in a) echo a;; esac`,
  (line) => `cat <<CORPUS\n$(\n${line}\n)\nCORPUS`,
  (line) => `f() { echo $(\n${line}\n); }; f`,
  (line) => `echo $(( 1 + $(\n${line}\n) ))`,
  (line) => `echo a | grep "$(\n${line}\n)" || echo b`,
];

describe('a row inside substitutions', () => {
  it.each(SUBSTITUTIONS.map((wrap, index) => [wrap('…').replaceAll('\n', ' '), index] as const))(
    'is decided no looser: %s',
    async (_, index) => {
      const loosened = [];
      for (const [number, row] of ROWS.filter(({ command }) => command.length < 5000).entries()) {
        const once = SUBSTITUTIONS[index]?.(row.command) ?? '';
        // Alone and in another one. At full length every row meets every substitution, else every sixteenth one of them.
        const another = SUBSTITUTIONS[(number * 5 + index) % SUBSTITUTIONS.length];
        const isTaken = inject('isEndurance') || number % (SUBSTITUTIONS.length * 16) === index * 16;
        if (another === undefined || !isTaken) continue;
        for (const wrapped of [once, another(once)]) {
          const { decision } = await decide(row, wrapped);
          if (STRICTNESS[decision] < STRICTNESS[row.expect])
            loosened.push({ row: row.command, wrapped, decision, expect: row.expect });
        }
      }
      expect(loosened).toEqual([]);
    },
  );
});
