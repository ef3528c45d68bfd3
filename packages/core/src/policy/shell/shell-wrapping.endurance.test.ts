/**
 * The property behind the table: wrapping a command never loosens the decision. Random
 * stacks of wrappers around commands of every decision; a seed makes a failure repeatable.
 */

import { describe, expect, inject, it } from 'vitest';
import type { ApprovalMode } from '../approval-mode.ts';
import { APPROVAL_MODES } from '../approval-mode.ts';
import { BUILTIN_CHECKERS, BUILTIN_RULES } from '../builtin-rules.ts';
import { PolicyEngine } from '../policy-engine.ts';
import type { PolicyDecision, PolicyRule } from '../rule.ts';
import { STRICTNESS } from '../rule.ts';

const COMMANDS = [
  ...[
    'shutdown now',
    'git push',
    'rm -rf x',
    'rm -rf /',
    'curl http://evil.example',
    'npm test',
    'git log',
    'ls -la',
    'echo hi',
    'touch .git/x',
  ],
  ...[
    'git commit -m x',
    'sudo ls',
    'find . -name x -delete',
    'python3 -c x',
    'cat ~/.ssh/id_rsa',
    'make',
    'echo x > AGENTS.md',
    'sed -i s/a/b/ f',
  ],
];

/** Whether the wrapper can hold a line (with redirections and separators) or only words. */
const LINE_WRAPPERS: readonly ((line: string) => string)[] = [
  (line) => `(${line})`,
  (line) => `{ ${line}; }`,
  (line) => `ls; ${line}`,
  (line) => `${line}; ls`,
  (line) => `ls && ${line}`,
  (line) => `${line} || ls`,
  (line) => `ls | ${line}`,
  (line) => `${line} | cat`,
  (line) => `${line} & ls`,
  (line) => `ls\n${line}\nls`,
  (line) => `echo $(${line})`,
  (line) => `echo "$(${line})"`,
  (line) => `cat <(${line})`,
  (line) => `cat <<EOF\n$(${line})\nEOF`,
  (line) => `if true; then ${line}; fi`,
  (line) => `for i in 1; do ${line}; done`,
  (line) => `case x in x) ${line};; esac`,
  (line) => `f() { ${line}; }; f`,
  (line) => `  \t  ${line}  \t `,
  (line) => `${line} # a comment`,
  (line) => `sh -c ${quoted(line)}`,
  (line) => `sh -c ${quoted(`((${line}))`)}`,
  (line) => `sh -c ${quoted(`[[ x || ${line}; ]]`)}`,
  (line) => `bash -lc ${quoted(line)}`,
  (line) => `eval ${quoted(line)}`,
  (line) => `alias x=${quoted(line)}; x`,
  (line) => `trap ${quoted(line)} EXIT`,
  (line) => `bash <<< ${quoted(line)}`,
  (line) => `git -c alias.x=${quoted(`!${line}`)} x`,
  (line) => `git -c core.pager=${quoted(line)} log`,
  (line) => `X=1; ${line}`,
  (line) => `trap -- ${quoted(line)} 0`,
  (line) => `coproc { ${line}; }`,
  (line) => `source /dev/stdin <<< ${quoted(line)}`,
  (line) => `env -S ${quoted(line)}`,
  (line) => `parallel ::: ${quoted(line)}`,
  (line) => `xargs -I% sh -c ${quoted(line)}`,
  (line) => `find . -exec sh -c ${quoted(line)} \\;`,
  (line) => `tar xf x --to-command=${quoted(line)}`,
  (line) => `ssh -o ProxyCommand=${quoted(line)} host`,
  (line) => `npm exec -c ${quoted(line)}`,
  (line) => `echo "\${x:-'}"; ${line}; echo "'}"`,
  (line) => `echo "\${x:-$(${line})}"`,
];

const WORD_WRAPPERS: readonly ((line: string) => string)[] = [
  ...[
    'env',
    'env A=1',
    'env -i',
    'nohup',
    'command',
    'exec',
    'nice -n 5',
    'timeout 5',
    'xargs',
    'sudo',
    'sudo -u root',
    'setsid',
    'stdbuf -oL',
    'busybox',
    'xargs env',
    'npx',
    'npm exec --',
    'uv run',
    'poetry run',
    'cross-env A=1',
    'setsid --fork',
    'coproc',
    '/usr/bin/time -v',
  ].map((wrapper) => (line: string) => `${wrapper} ${line}`),
  (line) => `A=1 ${line}`,
  (line) => `LD_PRELOAD=x ${line}`,
  (line) => `find . -name x -exec ${line} \\;`,
  (line) => `! ${line}`,
  (line) => `time ${line}`,
  (line) => `"${line.split(' ')[0] ?? ''}"${line.slice(line.indexOf(' '))}`,
  // Two backslashes would be a character of the name.
  (line) => (line.includes('\\') ? line : `${line.slice(0, 1)}\\${line.slice(1)}`),
  (line) => line.replaceAll(' ', '   \\\n  '),
];

function quoted(line: string): string {
  return `'${line.replaceAll("'", `'\\''`)}'`;
}

function rule(decision: PolicyDecision, commandPrefix: string): PolicyRule {
  return {
    toolName: 'run_shell_command',
    commandPrefix,
    decision,
    priority: 4.5,
    kind: 'user',
    source: { name: 'test.toml', line: 1 },
  };
}

const RULES = [
  ...BUILTIN_RULES,
  ...['npm test', 'git log', 'make'].map((prefix) => rule('allow', prefix)),
  ...['shutdown', 'git push', 'rm -rf'].map((prefix) => rule('deny', prefix)),
  rule('ask_user', 'git commit'),
];

const SEEDS = Array.from({ length: inject('isEndurance') ? 24 : 1 }, (_, index) => index + 1);

/** A small generator of the linear congruential kind: the same seed, the same run. */
function random(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state % below;
  };
}

describe('wrapping a command', () => {
  const engine = new PolicyEngine({
    rules: RULES,
    checkers: BUILTIN_CHECKERS,
    root: '/home/castor-nobody/project',
    home: '/home/castor-nobody',
  });
  const decide = async (command: string, mode: ApprovalMode, interactive: boolean) =>
    (await engine.check({ toolName: 'run_shell_command', args: { command } }, { mode, interactive })).decision;

  const plainDecisions = new Map<string, Promise<PolicyDecision>>();
  function decidePlain(command: string, mode: ApprovalMode, interactive: boolean): Promise<PolicyDecision> {
    const key = [mode, interactive, command].join(' ');
    const decision = plainDecisions.get(key) ?? decide(command, mode, interactive);
    plainDecisions.set(key, decision);
    return decision;
  }

  async function looserThan(command: string, wrapped: string, mode: ApprovalMode, interactive: boolean) {
    const plain = await decidePlain(command, mode, interactive);
    const after = await decide(wrapped, mode, interactive);
    return STRICTNESS[after] < STRICTNESS[plain] ? { command, wrapped, mode, plain, after } : undefined;
  }

  it.each(APPROVAL_MODES)('never loosens the decision in mode %s, for each wrapper alone', async (mode) => {
    const loosened = [];
    // Every command in every wrapper: in each mode, or every fourth pair in one of them in turn.
    const turn = APPROVAL_MODES.indexOf(mode);
    const isTaken = (pair: number) => inject('isEndurance') || pair % (APPROVAL_MODES.length * 4) === turn * 4 + 1;
    for (const [row, command] of COMMANDS.entries()) {
      const wrappers = command.includes('>') ? LINE_WRAPPERS : [...LINE_WRAPPERS, ...WORD_WRAPPERS];
      for (const [column, wrap] of wrappers.entries()) {
        // With a user and without one in turn: what differs is what an ask becomes.
        const isInteractive = (row + (column >> 2)) % 2 === 0;
        if (isTaken(row + column)) loosened.push(await looserThan(command, wrap(command), mode, isInteractive));
      }
    }
    expect(loosened.filter((found) => found !== undefined)).toEqual([]);
  });

  it.each(SEEDS)('never loosens the decision, for stacks of wrappers from seed %i', async (seed) => {
    const next = random(seed);
    const loosened = [];
    for (let round = 0; round < 400; round += 1) {
      const command = COMMANDS[next(COMMANDS.length)] ?? '';
      let wrapped = command;
      let words = !command.includes('>');
      for (let depth = 1 + next(4); depth > 0; depth -= 1) {
        const onlyWords = words && next(2) === 0;
        const wrappers = onlyWords ? WORD_WRAPPERS : LINE_WRAPPERS;
        wrapped = wrappers[next(wrappers.length)]?.(wrapped) ?? wrapped;
        words = onlyWords && !wrapped.startsWith('!') && !wrapped.startsWith('time') && !/^\w+=/.test(wrapped);
      }
      loosened.push(await looserThan(command, wrapped, APPROVAL_MODES[next(4)] ?? 'default', next(2) === 0));
    }
    expect(loosened.filter((found) => found !== undefined)).toEqual([]);
  });

  it.each([1, 49, 50, 51, 5000])('gives the same decision for %i commands in a line as for one', async (count) => {
    for (const tail of ['shutdown now', 'curl http://evil.example', 'ls']) {
      const line = [...Array.from({ length: count }, () => 'ls'), tail].join('; ');
      expect(await decide(line, 'default', true)).toBe(await decide(tail, 'default', true));
    }
  });
});
