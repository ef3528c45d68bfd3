/**
 * Bash itself as the oracle: random lines full of quotes and expansions are run where no
 * command exists, and whatever bash then looks for must be among what was found in the
 * line, unless the reader reported the line as unreadable. A seed makes a failure repeatable.
 */

import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { loadShellParser } from './shell-command.ts';
import { readShellLine } from './shell-leaves.ts';

type Random = (below: number) => number;

function random(seed: number): Random {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

const OPERATORS = [':-', '-', ':=', ':+', '+', '?', '#', '##', '%', '/', '//', '^', ',', ':', '['];
const MARKS = [
  ...["'", '"', '}', '{', 'a', '`', '$', '\\', '\\"', "\\'", '\\}', ')', '(', '#', ' ', "$'", '$"', '\n', "'}'"],
  ...['"}"', "'a'", '"a"', '${y}', '$(a)', '`a`', ']', '\\`'],
];

function marks(next: Random, most: number): string {
  return Array.from({ length: next(most) }, () => MARKS[next(MARKS.length)]).join('');
}

function piece(next: Random, depth: number): string {
  const operator = OPERATORS[next(OPERATORS.length)];
  const forms = [
    () => marks(next, 5),
    () => `"${marks(next, 4)}"`,
    () => `'${marks(next, 4)}'`,
    () => `\${x${operator}${marks(next, 4)}}`,
    () => `"\${x${operator}${marks(next, 4)}}"`,
    () => `$'${marks(next, 3)}'`,
    () => `$(${line(next, depth + 1)})`,
    () => `"$(${line(next, depth + 1)})"`,
    () => `"\${x${operator}${piece(next, depth + 1)}}"`,
    () => `"\`${marks(next, 4)}\`"`,
    () => `$((${marks(next, 3)}))`,
    () => `<(${line(next, depth + 1)})`,
  ];
  return forms[next(depth > 2 ? 6 : forms.length)]?.() ?? '';
}

function line(next: Random, depth: number): string {
  const forms = [
    () => `: ${piece(next, depth)}${[';', '\n', ' && ', '|'][next(4)]}RUN`,
    () => `: ${piece(next, depth)}; RUN; : ${piece(next, depth)}`,
    () => `: <<EOF\n${piece(next, depth)}\nEOF\nRUN ${marks(next, 2)}`,
    () => `: <<'EOF'\n${piece(next, depth)}\nEOF\nRUN`,
    () => `case ${piece(next, depth)} in ${piece(next, depth)}) RUN;; *) : ;; esac`,
    () => `: # ${marks(next, 4)}\nRUN`,
    () => `[[ ${piece(next, depth)} == ${piece(next, depth)} ]] || RUN`,
  ];
  return forms[next(forms.length)]?.() ?? '';
}

const SEEDS = Array.from({ length: inject('isEndurance') ? 12 : 1 }, (_, index) => index + 1);
const BASH = '/bin/bash';
/** Called for every command that does not exist. */
const REPORT = '() { builtin printf "<%s>" "$1" >&2; }';

describe.runIf(existsSync(BASH))('what bash runs', () => {
  let directory: string;

  beforeAll(async () => {
    await loadShellParser();
    directory = await mkdtemp(join(tmpdir(), 'castor-oracle-'));
  });

  afterAll(() => rm(directory, { recursive: true, force: true }));

  function ranBy(source: string): string[] {
    const { stderr } = spawnSync(BASH, ['-c', source], {
      cwd: directory,
      env: { PATH: '/nonexistent', 'BASH_FUNC_command_not_found_handle%%': REPORT },
      stdio: ['ignore', 'ignore', 'pipe'],
      encoding: 'utf8',
    });
    return [...stderr.matchAll(/<(run\d+)>/g)].map(([, name]) => name ?? '');
  }

  function readable(next: Random): { source: string; heads: string[] } | undefined {
    let count = 0;
    const source = line(next, 0).replaceAll('RUN', () => `run${count++}`);
    const { leaves, problems } = readShellLine(source);
    if (problems.length > 0 || leaves.some(({ risks }) => risks.some(({ unreadable }) => unreadable))) return undefined;
    return { source, heads: leaves.map(({ command }) => command.words[0]?.value ?? '') };
  }

  it.each(SEEDS)('is among what is found in the line, for lines from seed %i', (seed) => {
    const next = random(seed);
    const missed = [];
    for (let tried = 0; tried < 100;) {
      const found = readable(next);
      if (found === undefined) continue;
      tried += 1;
      const hidden = ranBy(found.source).filter((name) => !found.heads.includes(name));
      if (hidden.length > 0) missed.push({ source: found.source, hidden });
    }
    expect(missed).toEqual([]);
  });
});
