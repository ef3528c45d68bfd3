/**
 * Unwraps wrappers whose arguments follow no table of options: builtins that take code,
 * find and fd with their actions, parallel. Each has its own function.
 */

import type { ShellWord, SimpleCommand } from './shell-line.ts';
import { result, scriptOf, unreadable, withPlaceholders } from './unwrapped.ts';
import type { Inner, Unwrapped } from './unwrapped.ts';
import { unwrapByTable } from './wrapper-options.ts';
import { ESCALATING, PLAIN, WRAPPERS } from './wrapper-table.ts';

export const SPECIAL_WRAPPERS: Readonly<
  Record<string, ((command: SimpleCommand) => Unwrapped | undefined) | undefined>
> = {
  // `command -v` prints where a command is.
  command: ({ words }) =>
    /^-[pvV]*[vV]/.test(words[1]?.value ?? '') ? undefined : unwrapByTable(words, WRAPPERS['command'] ?? PLAIN),
  exec: (command) => (command.words.length === 1 ? undefined : unwrapByTable(command.words, WRAPPERS['exec'] ?? PLAIN)),
  eval: ({ words }) => codeOf(words.slice(1), 1, 'eval'),
  source: fileOfCode,
  '.': fileOfCode,
  trap: ({ words }) => trapAction(words),
  parallel: (command) => parallelJobs(command),
  alias: ({ words }) => aliases(words),
  find: ({ words }) => findActions(words),
  fd: ({ words }) => afterOption(words, ['-x', '--exec', '-X', '--exec-batch']),
  fdfind: ({ words }) => afterOption(words, ['-x', '--exec', '-X', '--exec-batch']),
};

function codeOf(words: readonly ShellWord[], start: number, label: string): Unwrapped | undefined {
  if (words.length === 0) return undefined;
  const dynamic = words.find(({ kind }) => kind === 'dynamic' || kind === 'glob');
  const text = words.map(({ value }) => value).join(' ');
  if (dynamic !== undefined)
    return result(scriptOf({ ...dynamic, value: text, kind: 'dynamic', skeleton: '' }, start, label), false);
  return result([{ kind: 'script', text, start }]);
}

function trapAction(words: readonly ShellWord[]): Unwrapped | undefined {
  const start = words[1]?.value === '--' ? 2 : 1;
  const action = words[start];
  // `trap - EXIT` removes an action, `trap -p` prints them.
  if (action === undefined || (start === 1 && action.value.startsWith('-')) || action.value === '-') return undefined;
  return codeOf([action], start, 'trap');
}

/** GNU parallel passes to a shell what it reads or what follows `:::`, alone or after the words before it. */
function parallelJobs(command: SimpleCommand): Unwrapped {
  const { words } = command;
  const mark = words.findIndex(({ value }) => value.startsWith(':::'));
  const own = unwrapByTable(mark < 0 ? words : words.slice(0, mark), WRAPPERS['parallel'] ?? ESCALATING);
  const jobs = mark < 0 ? [] : words.slice(mark + 1).flatMap((word, at) => scriptOf(word, mark + 1 + at, 'parallel'));
  if (own !== undefined && own.inner.some(({ kind }) => kind !== 'unreadable')) return own;
  if (jobs.length > 0) return result([...(own?.inner ?? []), ...jobs], false);
  return unreadable('parallel reads commands from its input', '');
}

function fileOfCode({ words, input }: SimpleCommand): Unwrapped | undefined {
  const [head, file] = words;
  if (head === undefined || file === undefined) return undefined;
  const reason = `${head.value} runs commands from the file ${file.value}`;
  // The file may be the input that the line itself provides.
  const scripts = input.map((text): Inner => ({ kind: 'script', text, start: words.length }));
  return result([{ kind: 'unreadable', reason, word: file.value }, ...scripts], false);
}

function aliases(words: readonly ShellWord[]): Unwrapped | undefined {
  const inner = words.slice(1).flatMap((word, index): Inner[] => {
    const equals = word.value.indexOf('=');
    if (equals < 0) return [];
    return scriptOf({ ...word, value: word.value.slice(equals + 1) }, index + 1, 'alias');
  });
  return inner.length === 0 ? undefined : result(inner);
}

const FIND_ACTIONS = new Set(['-exec', '-execdir', '-ok', '-okdir']);

function findActions(words: readonly ShellWord[]): Unwrapped | undefined {
  const inner: Inner[] = [];
  for (let index = 1; index < words.length; index += 1) {
    if (!FIND_ACTIONS.has(words[index]?.value ?? '')) continue;
    const start = index + 1;
    let end = start;
    while (
      end < words.length &&
      words[end]?.value !== ';' &&
      !(words[end]?.value === '+' && words[end - 1]?.value === '{}')
    )
      end += 1;
    inner.push({ kind: 'words', words: withPlaceholders(words.slice(start, end), '{}'), start, moreArguments: true });
    index = end;
  }
  // find itself walks and tests, so it is checked as well.
  return inner.length === 0 ? undefined : result(inner, false);
}

function afterOption(words: readonly ShellWord[], names: readonly string[]): Unwrapped | undefined {
  const index = words.findIndex(({ value }) => names.includes(value));
  if (index < 0) return undefined;
  const run = withPlaceholders(words.slice(index + 1), '{');
  return result([{ kind: 'words', words: run, start: index + 1, moreArguments: true }], false);
}
