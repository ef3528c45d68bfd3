/**
 * Parses git's command line: the options before the subcommand, and options anywhere that
 * make git run a program or load another repository's configuration.
 */

import { gitOutputs, writesUnnamedFile } from './git-outputs.ts';
import { clipped } from './shell-line.ts';
import type { ShellWord } from './shell-word.ts';

export interface GitRisk {
  reason: string;
  word: string;
  /** The shell text git would run. */
  script?: string | undefined;
  /** Whether it writes a file and runs nothing. */
  writes?: true;
}

export interface GitCommand {
  /** Empty when missing. */
  subcommand: string;
  /** The words after the subcommand. */
  rest: readonly ShellWord[];
  /** Folders given with -C. */
  directories: readonly ShellWord[];
  /** Whether only options are used that change the look of the output. */
  plainOptions: boolean;
  risks: readonly GitRisk[];
}

const PLAIN_FLAGS = new Set([
  '--no-pager',
  '-P',
  '--no-optional-locks',
  '--literal-pathspecs',
  '--no-replace-objects',
  '--no-advice',
]);
const FLAGS = new Set([
  ...PLAIN_FLAGS,
  '-p',
  '--paginate',
  '--bare',
  '--glob-pathspecs',
  '--noglob-pathspecs',
  '--icase-pathspecs',
  '--no-lazy-fetch',
  '-v',
  '--version',
  '-h',
  '--help',
  '--html-path',
  '--man-path',
  '--info-path',
]);
const OTHER_REPOSITORY = [
  '--git-dir',
  '--work-tree',
  '--exec-path',
  '--config-env',
  '--namespace',
  '--attr-source',
  '--super-prefix',
];

/** Configuration keys whose value git passes to a shell. */
const COMMAND_KEY =
  /pager|editor|command|helper|external|textconv|fsmonitor|program|askpass|^alias\.|driver|clean|smudge|process|tool\..*\.(?:cmd|path)|proxy|gpg|ssh|hook/i;

/** Several checks of one line ask about the same command. */
const known = new WeakMap<readonly ShellWord[], GitCommand>();

export function readGit(words: readonly ShellWord[]): GitCommand {
  let command = known.get(words);
  if (command === undefined) known.set(words, (command = readCommand(words)));
  return command;
}

function readCommand(words: readonly ShellWord[]): GitCommand {
  const { index, directories, plainOptions, risks } = readOptions(words);
  const head = words[index];
  if (head?.kind === 'dynamic') {
    risks.push({ reason: `the git subcommand is known only when it runs: ${head.text}`, word: head.text });
  }
  const rest = words.slice(index + 1);
  const subcommand = head?.value ?? '';
  risks.push(...subcommandRisks(subcommand, rest));
  return { subcommand, rest, directories, plainOptions, risks };
}

/** Reads the options before the subcommand, which is at `index`. */
function readOptions(words: readonly ShellWord[]) {
  const risks: GitRisk[] = [];
  const directories: ShellWord[] = [];
  let plainOptions = true;
  let index = 1;
  for (; index < words.length; index += 1) {
    const word = words[index];
    if (word === undefined || !word.value.startsWith('-')) break;
    const [name, attached] = splitOption(word.value);
    if (FLAGS.has(name)) {
      plainOptions &&= PLAIN_FLAGS.has(name);
      continue;
    }
    plainOptions = false;
    if (name === '-C') {
      index += 1;
      const directory = words[index];
      if (directory !== undefined) directories.push(directory);
    } else if (name === '-c') {
      index += 1;
      risks.push(configurationRisk(words[index]?.value ?? '', '-c'));
    } else {
      risks.push({ reason: `git ${name} can make git run other programs`, word: name });
      if (OTHER_REPOSITORY.includes(name) && attached === undefined && name !== '--exec-path') index += 1;
    }
  }
  return { index, directories, plainOptions, risks };
}

function splitOption(value: string): [string, string | undefined] {
  const equals = value.indexOf('=');
  if (!value.startsWith('--') || equals < 0) return [value, undefined];
  return [value.slice(0, equals), value.slice(equals + 1)];
}

/** The program in `--option=program` or `-Oprogram`. */
function attachedValue(option: string): string | undefined {
  const [, value] = splitOption(option);
  return value ?? /^-[A-Za-z]*?[OxtuX]([^-].*)$/s.exec(option)?.[1];
}

function configurationRisk(setting: string, word: string): GitRisk {
  const equals = setting.indexOf('=');
  const key = equals < 0 ? setting : setting.slice(0, equals);
  const value = setting.slice(equals + 1);
  const reason = `git ${word} ${key} overrides configuration`;
  if (equals < 0 || !COMMAND_KEY.test(key)) return { reason, word };
  // An alias without an exclamation mark is another git command.
  const script = /^alias\./i.test(key) && !value.startsWith('!') ? `git ${value}` : value.replace(/^!/, '');
  return { reason, word, script };
}

/** By subcommand, the options whose value is a program; git accepts any unique prefix of a long one. */
const PROGRAM_OPTIONS: Readonly<Record<string, RegExp>> = {
  grep: /^(?:-[A-Za-z]*O|--op)/,
  difftool: /^(?:-[A-Za-z]*[xt]|--ext|--tool)/,
  mergetool: /^(?:-t|--tool)/,
  rebase: /^(?:-x|--ex|-i$|--int|-s|--str)/,
  'cherry-pick': /^--str/,
  revert: /^--str/,
  'merge-index': /^/,
  'for-each-repo': /^/,
  'remote-ext': /^/,
  'remote-fd': /^/,
  'fast-import': /^--(?:exp|imp|rew)/,
  clone: /^(?:-u|--upload-pack|--up|-c|--conf|--templ)/,
  fetch: /^--up/,
  pull: /^(?:--up|-s|--str)/,
  push: /^--(?:rec|exec)/,
  'ls-remote': /^--(?:up|exec)/,
  'fetch-pack': /^--(?:up|exec)/,
  'send-pack': /^--(?:rec|exec)/,
  archive: /^--(?:exec|remote)/,
  'cat-file': /^--(?:te|fi)/,
  init: /^--templ/,
  merge: /^(?:-s|--str)/,
  help: /^(?:-[A-Za-z]*w|--web)/,
  maintenance: /^(?:start|register|run)$/,
  daemon: /^/,
  instaweb: /^/,
  'web--browse': /^/,
  shell: /^/,
  credential: /^/,
  'credential-store': /^/,
  'credential-cache': /^/,
  'upload-pack': /^/,
  'receive-pack': /^/,
  p4: /^/,
  svn: /^/,
  cvsimport: /^/,
  'filter-branch': /^/,
  'send-email': /^/,
  worktree: /^(?!list$)/,
  hook: /^/,
};

const ANYWHERE = /^--(?:ext-diff|textconv|upload-pack|receive-pack)(?:=|$)/;
const RUNS_OPERANDS = new Set(['foreach', 'run']);

function subcommandRisks(subcommand: string, rest: readonly ShellWord[]): GitRisk[] {
  const risks = gitOutputs(subcommand, rest).map(({ value }): GitRisk => {
    const [option] = splitOption(value);
    return { reason: `git ${subcommand} ${option} writes a file`, word: option, writes: true };
  });
  if (risks.length === 0 && writesUnnamedFile(subcommand, rest))
    risks.push({ reason: `git ${subcommand} writes a file`, word: subcommand, writes: true });
  const pattern = Object.hasOwn(PROGRAM_OPTIONS, subcommand) ? PROGRAM_OPTIONS[subcommand] : undefined;
  rest.forEach((word, index) => {
    const program = pattern?.test(word.value) === true || ANYWHERE.test(word.value);
    if (program || (word.kind === 'dynamic' && pattern !== undefined)) {
      const script = attachedValue(word.value) ?? (program ? rest[index + 1]?.value : undefined);
      risks.push({
        reason: `git ${subcommand} ${word.value} can run another program`,
        word: word.value,
        script,
      });
    }
    if (/^(?:ext|fd)::/.test(word.value))
      risks.push({
        reason: `the git address ${clipped(word.value)} runs a command`,
        word: word.value,
        script: word.value.replace(/^\w+::/, ''),
      });
  });
  const runs = rest.findIndex(({ value }) => RUNS_OPERANDS.has(value));
  if ((subcommand === 'submodule' || subcommand === 'bisect') && runs >= 0) {
    const word = rest[runs]?.value ?? '';
    const script = rest
      .slice(runs + 1)
      .map(({ value }) => value)
      .join(' ');
    risks.push({ reason: `git ${subcommand} ${word} runs a command`, word, script });
  }
  if (writesGitConfiguration(subcommand, rest)) {
    const operands = rest.filter((word) => !word.value.startsWith('-'));
    const value = operands.at(-1)?.value ?? '';
    const key = operands.length > 1 ? ` ${clipped(operands.at(-2)?.value ?? '')}` : '';
    risks.push({
      reason: `git ${subcommand}${key} changes what git runs`,
      word: rest[0]?.value ?? 'config',
      script: value.replace(/^!/, ''),
    });
  }
  return risks;
}

export function writesGitConfiguration(subcommand: string, rest: readonly ShellWord[]): boolean {
  return subcommand === 'config' && !readsConfiguration(rest);
}

/** Options of `git config` without a value: the word after any other option may be its value. */
const CONFIG_FLAG =
  /^(?:--(?:global|system|local|worktree|null|name-only|includes|no-includes|all|regexp|show-\w+|bool|int|path|list|get[\w-]*)|-[zl]|--type=.*)$/;

/** Decides by its own subcommand or option; a setting may have the value `list`, and a file the name `get`. */
function readsConfiguration(rest: readonly ShellWord[]): boolean {
  if (/^(?:get|list)$/.test(rest[0]?.value ?? '')) return true;
  const end = rest.findIndex(({ value }) => value === '--');
  const words = rest.slice(0, end < 0 ? undefined : end).map(({ value }) => value);
  const operands = words.filter((value) => !value.startsWith('-'));
  return words.some((value, index) => {
    const before = words[index - 1] ?? '';
    if (before.startsWith('-') && !before.includes('=') && !CONFIG_FLAG.test(before)) return false;
    return /^(?:--get|--list$|-l$)/.test(value) || (value.startsWith('--show') && operands.length <= 1);
  });
}

/** Whether it sets a setting that makes git run a program later. */
export function setsGitProgram(words: readonly ShellWord[]): boolean {
  const { subcommand, rest } = readGit(words);
  if (!writesGitConfiguration(subcommand, rest)) return false;
  return rest.some(
    ({ value }) =>
      /^(?:-e|--edit|edit|(?:--)?rename-section)$/.test(value) ||
      /^include(?:if)?\./i.test(value) ||
      COMMAND_KEY.test(value),
  );
}
