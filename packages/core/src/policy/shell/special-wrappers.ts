/**
 * Unwraps wrappers whose arguments follow no table of options: builtins that take code,
 * find and fd with their actions, parallel. Each has its own function.
 */

import { clipped } from './shell-line.ts';
import type { SimpleCommand } from './shell-line.ts';
import type { ShellWord } from './shell-word.ts';
import { isHiddenCode, result, scriptOf, unreadable, withPlaceholders } from './unwrapped.ts';
import type { Inner, Unwrapped } from './unwrapped.ts';
import { unwrapByTable } from './wrapper-options.ts';
import { ESCALATING, PLAIN, WRAPPERS } from './wrapper-table.ts';
import type { WrapperOptions } from './wrapper-table.ts';
import { shellInput } from './shell-invocation.ts';

export const SPECIAL_WRAPPERS: Readonly<
  Record<string, ((command: SimpleCommand) => Unwrapped | undefined) | undefined>
> = {
  // `command -v` prints where a command is.
  command: ({ words }) =>
    /^-[pvV]*[vV]/.test(words[1]?.value ?? '') ? undefined : unwrapByTable(words, WRAPPERS['command'] ?? PLAIN),
  exec: (command) => (command.words.length === 1 ? undefined : unwrapByTable(command.words, WRAPPERS['exec'] ?? PLAIN)),
  su: (command) => superUser(command),
  sudo: (command) => privilegedShell(command, WRAPPERS['sudo'] ?? ESCALATING),
  doas: (command) => privilegedShell(command, WRAPPERS['doas'] ?? ESCALATING),
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

/** `su - user -c text`: the user may stand before the option. */
function superUser(command: SimpleCommand): Unwrapped | undefined {
  const { words } = command;
  const at = words.findIndex(({ value }) => /^(?:-[a-z]*c|--command)$/.test(value));
  const text = at < 0 ? undefined : words[at + 1];
  if (text !== undefined) return result(scriptOf(text, at + 1, 'su -c'), false);
  const attached = words.some(({ value }) => /^(?:-c.|--comm[a-z]*=)/s.test(value));
  return attached ? unwrapByTable(words, WRAPPERS['su'] ?? ESCALATING) : shellInput(command, 'su');
}

/** `sudo -s` without a command is a shell. */
function privilegedShell(command: SimpleCommand, options: WrapperOptions): Unwrapped | undefined {
  const unwrapped = unwrapByTable(command.words, options);
  const isShell = command.words.some(({ value }) => /^(?:-[A-Za-z]*[si]|--shell|--login)$/.test(value));
  const isFed = command.piped || command.input.length > 0 || command.redirections.length > 0;
  return isShell && isFed && unwrapped?.inner.some(({ kind }) => kind !== 'unreadable') !== true
    ? shellInput(command, 'sudo')
    : unwrapped;
}

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

const MAX_JOBS = 64;

/** GNU parallel passes to a shell what it reads or what follows `:::`, alone or after the words before it. */
function parallelJobs(command: SimpleCommand): Unwrapped {
  const { words } = command;
  const mark = words.findIndex(({ value }) => value.startsWith(':::'));
  const own = unwrapByTable(mark < 0 ? words : words.slice(0, mark), WRAPPERS['parallel'] ?? ESCALATING);
  const jobs = mark < 0 || words[mark]?.value.startsWith('::::') === true ? [] : words.slice(mark + 1);
  const inner = own?.inner ?? [];
  const started = inner.find((one) => one.kind === 'words');
  if (started !== undefined)
    return {
      ...(own ?? result([])),
      inner: [...inner, ...jobs.slice(0, MAX_JOBS).map((job, at) => jobOf(started.words, job, mark + 1 + at))],
    };
  const scripts = jobs.flatMap((word, at) => scriptOf(word, mark + 1 + at, 'parallel'));
  if (scripts.length > 0) return result([...inner, ...scripts], false);
  return unreadable('parallel reads commands from its input', '', true);
}

/** One command of parallel: the job takes the place of `{}`, or follows the words. */
function jobOf(words: readonly ShellWord[], job: ShellWord, start: number): Inner {
  const text = words.map(({ value }) => value).join(' ');
  const line = /\{[./#%+]*\d*\}/.test(text)
    ? text.replaceAll(/\{[./#%+]*\d*\}/g, () => job.value)
    : `${text} ${job.value}`;
  return { kind: 'script', text: line, start };
}

function fileOfCode({ words, input, openInput, feed }: SimpleCommand): Unwrapped | undefined {
  const [head, file] = words;
  if (head === undefined || file === undefined) return undefined;
  const reason = `${head.value} runs commands from the file ${clipped(file.value)}`;
  // The file may be the input that the line itself provides.
  const fed = /^\/(?:dev|proc)\//.test(file.value) ? feed?.() : undefined;
  const texts = [...input, ...(fed?.text === undefined ? [] : [fed.text])];
  const scripts = texts.map((text): Inner => ({ kind: 'script', text, start: words.length }));
  const isHidden =
    (file.kind === 'dynamic' && isHiddenCode(file)) ||
    openInput !== undefined ||
    (/^\/(?:dev|proc)\//.test(file.value) && texts.length === 0 && fed?.isFile !== true);
  return result(
    [{ kind: 'unreadable', reason, word: file.value, hidden: isHidden ? true : undefined }, ...scripts],
    false,
  );
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
