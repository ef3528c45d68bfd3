/** Every row of shell-bypasses.json is a command line somebody tried, and what must come of it. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { ApprovalMode } from '../approval-mode.ts';
import { BUILTIN_CHECKERS, BUILTIN_RULES } from '../builtin-rules.ts';
import { PolicyEngine } from '../policy-engine.ts';
import type { PolicyDecision, PolicyRule } from '../rule.ts';

interface Row {
  profile: 'builtin' | 'allowed' | 'tools' | 'denied' | 'yolo' | 'narrow' | 'wide' | 'forbidden' | 'edits';
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

describe('what a shell line comes to', () => {
  it('has at least 150 rows', () => {
    expect(ROWS.length).toBeGreaterThanOrEqual(150);
  });

  for (const [index, row] of ROWS.entries()) {
    it(`${row.threat} row ${index}: ${row.profile} gives ${row.expect} for ${JSON.stringify(row.command).slice(0, 90)}`, async () => {
      const { mode, rules } = PROFILES[row.profile];
      const engine = new PolicyEngine({ rules: [...BUILTIN_RULES, ...rules], checkers: BUILTIN_CHECKERS, root, home });
      const { decision, reason } = await engine.check(
        { toolName: 'run_shell_command', args: { command: row.command } },
        { mode, interactive: true },
      );
      expect({ command: row.command, decision, reason }).toEqual({
        command: row.command,
        decision: row.expect,
        reason,
      });
    });
  }
});
