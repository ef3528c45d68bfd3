/**
 * Forms in which a harmless-looking command does something else: options that run a
 * program, code given inline, variables that change what a program loads. A rule that
 * allows the command does not allow these unless it spells them.
 */

import { readGit } from './git-command.ts';
import { isPlainSedScript } from './sed-script.ts';
import type { ShellWord, SimpleCommand } from './shell-command.ts';
import { baseName } from './shell-wrappers.ts';

export interface Risk {
  reason: string;
  /** What a rule has to spell in order to cover it; no rule can when it is empty. */
  word: string;
  /** Whether it runs something that cannot be judged here. */
  unreadable: boolean;
  /** Shell text it runs, where that is known. */
  script?: string;
}

type Arguments = readonly ShellWord[];

/** Options whose value is run. Short ones by letter, long ones by name. */
interface ProgramOptions {
  short?: string;
  long?: readonly string[];
  /** Words that carry code in some other way. */
  words?: RegExp;
}

const PROGRAM_OPTIONS: Readonly<Record<string, ProgramOptions>> = {
  tar: {
    short: 'IF',
    long: [
      '--checkpoint-action',
      '--to-command',
      '--use-compress-program',
      '--rsh-command',
      '--info-script',
      '--new-volume-script',
    ],
  },
  rg: { short: 'z', long: ['--pre', '--hostname-bin', '--search-zip'] },
  man: { short: 'PH', long: ['--pager', '--html', '--browser', '--preprocessor'] },
  ssh: { short: 'oFSE', words: /^(?!-).*$/ },
  scp: { short: 'oFS' },
  sftp: { short: 'oFSbD' },
  rsync: { short: 'e', long: ['--rsh', '--rsync-path', '--config'] },
  npm: {
    long: [
      '--script-shell',
      '--node-options',
      '--userconfig',
      '--globalconfig',
      '--editor',
      '--viewer',
      '--browser',
      '--git',
      '--call',
      '--prefix',
    ],
    short: 'c',
  },
  npx: { short: 'c', long: ['--call', '--script-shell', '--node-options'] },
  pnpm: { short: 'c', long: ['--script-shell', '--shell-mode', '--node-options', '--config'] },
  yarn: { long: ['--script-shell', '--use-yarnrc', '--node-options'] },
  sort: { long: ['--compress-program'] },
  split: { long: ['--filter'] },
  zip: { long: ['--unzip-command'], words: /^-T?T/ },
  less: { short: 'kKT', long: ['--lesskey-file', '--tag-file'], words: /^\+/ },
  more: { words: /^\+/ },
  vim: { short: 'cSsuUiw', long: ['--cmd', '--remote-expr'], words: /^\+/ },
  vi: { short: 'cSsuUiw', long: ['--cmd'], words: /^\+/ },
  nvim: { short: 'cSsul', long: ['--cmd', '--remote-expr'], words: /^\+/ },
  ex: { words: /^/ },
  ed: { words: /^/ },
  emacs: {
    short: 'fl',
    long: ['--eval', '--load', '--funcall', '--execute', '--script'],
    words: /^-(?:eval|load|funcall|execute)/,
  },
  gcc: { words: /^-(?:wrapper|fplugin|specs|B)/ },
  'g++': { words: /^-(?:wrapper|fplugin|specs|B)/ },
  cc: { words: /^-(?:wrapper|fplugin|specs|B)/ },
  clang: { words: /^-(?:fplugin|Xclang|load|B)/ },
  make: { short: 'f', long: ['--eval', '--file', '--makefile'], words: /^(?:SHELL|MAKEFLAGS|\.SHELLFLAGS)\s*[:+?]?=/ },
  curl: { short: 'KoOT', long: ['--config', '--output', '--output-dir', '--remote-name', '--engine', '--upload-file'] },
  wget: {
    short: 'eOiPo',
    long: ['--execute', '--use-askpass', '--output-document', '--config', '--post-file', '--body-file'],
  },
  nc: { short: 'ec' },
  ncat: { short: 'ec', long: ['--exec', '--sh-exec', '--lua-exec'] },
  socat: { words: /^(?:EXEC|SYSTEM|SHELL):/i },
  tcpdump: { short: 'zw' },
  nmap: { long: ['--script', '--script-args', '--datadir'] },
  gdb: { short: 'x', words: /^-(?:ex|iex|x|eval-command)/ },
  sqlite3: { words: /\.(?:shell|system|load|output|once)|^-(?:cmd|init)/ },
  psql: { short: 'cf', long: ['--command', '--file'] },
  mysql: { short: 'e', long: ['--execute', '--pager', '--init-command'] },
  go: { words: /^-{1,2}(?:toolexec|exec|vettool|overlay|modfile)/ },
  cargo: { long: ['--config'] },
  mvn: { words: /exec:/ },
  gradle: { short: 'I', long: ['--init-script'] },
  install: { long: ['--strip-program'] },
  openssl: { words: /^-(?:engine|provider|config)/ },
  docker: { words: /^(?:run|exec|cp|build|compose|-H|--host.*|--context.*)$/ },
  podman: { words: /^(?:run|exec|cp|build|compose|--url.*)$/ },
  kubectl: { words: /^(?:exec|run|debug|cp|plugin)$/ },
  complete: { short: 'CF' },
  compgen: { short: 'CFW' },
  bind: { short: 'xf' },
  mapfile: { short: 'C' },
  readarray: { short: 'C' },
  enable: { short: 'f' },
  hash: { short: 'p' },
  fc: { words: /^/ },
  at: { words: /^/ },
  batch: { words: /^/ },
  dpkg: { words: /^--(?:pre|post)-invoke|^--root/ },
  apt: { short: 'oc', long: ['--option', '--config-file'] },
  'apt-get': { short: 'oc', long: ['--option', '--config-file'] },
  pip: { long: ['--config-settings', '--global-option'] },
  xterm: { words: /^-e$/ },
  tmux: { words: /^/ },
  screen: { words: /^/ },
  iconv: { short: 'o', long: ['--output'] },
  tee: {},
};

/** Languages with an option for code on the command line. */
const INTERPRETERS: readonly (readonly [RegExp, ProgramOptions])[] = [
  [/^(?:python|pypy)[\d.]*$/, { short: 'c' }],
  [/^perl[\d.]*$/, { short: 'eEMmIx' }],
  [/^ruby[\d.]*$/, { short: 'erI' }],
  [
    /^(?:node|nodejs|bun|deno|tsx|ts-node)$/,
    {
      short: 'epr',
      long: ['--eval', '--print', '--require', '--import', '--loader', '--experimental-loader', '--env-file'],
      words: /^eval$/,
    },
  ],
  [/^php[\d.]*$/, { short: 'rBRERd' }],
  [/^(?:lua|luajit|lua[\d.]+)$/, { short: 'el' }],
  [
    /^(?:R|Rscript|julia|elixir|groovy|scala|jshell|erl|osascript|tclsh|expect|guile|racket|sbcl|ghc|runghc)$/,
    { words: /^-{1,2}(?:e|c|E|eval|S)/ },
  ],
  [/^(?:pwsh|powershell)(?:\.exe)?$/i, { words: /^/ }],
  [/^cmd(?:\.exe)?$/i, { words: /^/ }],
];

export function findRisks(command: SimpleCommand, options: { moreArguments: boolean }): Risk[] {
  const risks = command.assignments.flatMap(({ name }) => assignmentRisk(name));
  const [head] = command.words;
  if (head !== undefined) risks.push(...commandRisks(command, head, options));
  for (const { target } of command.redirections) {
    if (/^\/dev\/(?:tcp|udp)\//.test(target.value))
      risks.push({ reason: `${target.value} opens a network connection`, word: target.value, unreadable: false });
  }
  return risks;
}

function commandRisks(command: SimpleCommand, head: ShellWord, options: { moreArguments: boolean }): Risk[] {
  if (head.kind === 'dynamic' || head.kind === 'glob') {
    return [{ reason: `the command ${head.text} is known only when it runs`, word: head.text, unreadable: true }];
  }
  const name = baseName(head);
  const risks = risksByName(name, command.words);
  if (INTERPRETERS.some(([pattern]) => pattern.test(name)) && readsItsInput(command)) {
    risks.push({ reason: `${name} reads code from its input`, word: '', unreadable: true });
  }
  const unknown = command.words.slice(1).find(({ kind }) => kind === 'dynamic');
  // Any unknown word could be one of the options above; git's are looked at where they stand.
  if (isArgumentSensitive(name) && (options.moreArguments || (unknown !== undefined && name !== 'git'))) {
    const reason = `${name} gets arguments that are known only when it runs`;
    risks.push({ reason, word: unknown?.text ?? '', unreadable: true });
  }
  return risks;
}

function risksByName(name: string, words: Arguments): Risk[] {
  if (name === 'git') return readGit(words).risks.map((risk) => ({ ...risk, unreadable: risk.script === undefined }));
  if (name === 'sed' || name === 'gsed') return sedRisks(words);
  if (AWK.test(name)) return awkRisks(words);
  const options = programOptionsOf(name);
  return options === undefined ? [] : optionRisks(name, words, options);
}

const AWK = /^[gmn]?awk$/;

function programOptionsOf(name: string): ProgramOptions | undefined {
  if (Object.hasOwn(PROGRAM_OPTIONS, name)) return PROGRAM_OPTIONS[name];
  return INTERPRETERS.find(([pattern]) => pattern.test(name))?.[1];
}

function isArgumentSensitive(name: string): boolean {
  return name === 'git' || name === 'find' || name === 'sed' || AWK.test(name) || programOptionsOf(name) !== undefined;
}

function readsItsInput({ words, piped, input }: SimpleCommand): boolean {
  const operands = words.slice(1).filter(({ value }) => !value.startsWith('-') || value === '-');
  if (operands.length > 0 && operands[0]?.value !== '-') return false;
  const asks = words.slice(1).some(({ value }) => /^(?:-V|-v|--version|-h|--help)$/.test(value));
  return !asks && (piped || input.length > 0 || words.length === 1 || operands.length > 0);
}

function optionRisks(name: string, words: Arguments, options: ProgramOptions): Risk[] {
  const risks: Risk[] = [];
  const end = words.findIndex(({ value }) => SCRIPT_FILE.test(value));
  words.forEach((word, index) => {
    // What follows a script's name is the script's own business.
    if (index === 0 || (end > 0 && index >= end)) return;
    const value = programValue(word.value, words[index + 1]?.value, options);
    if (value === undefined) return;
    const script = scriptIn(name, value);
    risks.push({
      reason: `${name} ${word.value} can run a program or load code`,
      word: word.value,
      unreadable: script === undefined,
      ...(script !== undefined && { script }),
    });
  });
  return risks;
}

const SCRIPT_FILE = /^[^-].*\.(?:py|[cm]?[jt]s|rb|pl|php|lua)$/;

/** The value of an option that runs something; undefined for any other word. */
function programValue(word: string, next: string | undefined, options: ProgramOptions): string | undefined {
  if (word.startsWith('--') && word.length > 2) {
    const equals = word.indexOf('=');
    const name = equals < 0 ? word : word.slice(0, equals);
    if (options.long?.some((long) => long === name || (name.length > 4 && long.startsWith(name))) === true) {
      return equals < 0 ? (next ?? '') : word.slice(equals + 1);
    }
  } else if (/^-[A-Za-z]/.test(word) && options.short !== undefined) {
    const at = [...word].findIndex((letter, position) => position > 0 && options.short?.includes(letter) === true);
    if (at > 0) return word.slice(at + 1) || (next ?? '');
  }
  if (options.words?.test(word) === true) return word;
  return undefined;
}

/** Programs whose option value is a shell command line. */
function scriptIn(name: string, value: string): string | undefined {
  const text = value.replace(/^(?:exec=|command=|SYSTEM:|EXEC:|(?:Proxy|Local|KnownHosts)Command[= ]?)/i, '');
  if (['tar', 'man', 'split', 'sort', 'npx', 'npm', 'rsync', 'ncat', 'nc', 'socat'].includes(name) && text !== '')
    return text;
  return name === 'ssh' && text !== value ? text : undefined;
}

function sedRisks(words: Arguments): Risk[] {
  const risks: Risk[] = [];
  let seen = false;
  for (let index = 1; index < words.length; index += 1) {
    const word = words[index];
    if (word === undefined) break;
    const { value } = word;
    let script: ShellWord | undefined;
    if (/^(?:-[A-Za-z]*e|--expression)$/.test(value)) script = words[(index += 1)];
    else if (value.startsWith('--expression=')) script = { ...word, value: value.slice('--expression='.length) };
    else if (/^-[nErsuz]*e./.test(value)) script = { ...word, value: value.replace(/^-[nErsuz]*e/, '') };
    else if (/^(?:-[A-Za-z]*f|--file)/.test(value)) {
      risks.push({ reason: 'sed runs a script from a file', word: value, unreadable: true });
      seen = true;
    } else if (!value.startsWith('-') && !seen) script = word;
    if (script === undefined) continue;
    seen = true;
    if (script.kind === 'dynamic' || !isPlainSedScript(script.value)) {
      risks.push({ reason: 'the sed script may run a command or write a file', word: script.value, unreadable: true });
    }
  }
  return risks;
}

function awkRisks(words: Arguments): Risk[] {
  for (let index = 1; index < words.length; index += 1) {
    const word = words[index];
    if (word === undefined) break;
    if (word.value === '-F' || word.value === '-v') index += 1;
    else if (/^-[Fv]./.test(word.value)) continue;
    else if (word.value.startsWith('-') && word.value !== '--')
      return [{ reason: 'awk loads code', word: word.value, unreadable: true }];
    else if (word.value !== '--') {
      const plain = word.kind !== 'dynamic' && !/system|getline|[|>@]|close|ENVIRON/.test(word.value);
      return plain
        ? []
        : [{ reason: 'the awk program may run a command or write a file', word: word.value, unreadable: true }];
    }
  }
  return [];
}

/** Variables that change which code programs load, where they connect, or how the shell reads words. */
const LOADER_VARIABLE =
  /^(?:PATH|IFS|ENV|BASH.*|SHELL.*|PS[0-4]|PROMPT_COMMAND|CDPATH|GLOBIGNORE|FPATH|ZDOTDIR|HOME|TMPDIR|USER|LD_.*|DYLD_.*|GIT_.*|NODE_.*|npm_.*|NPM_.*|YARN_.*|PYTHON.*|PIP_.*|PERL.*|RUBY.*|GEM_.*|BUNDLE_.*|JAVA_.*|JDK_.*|_JAVA_.*|MAVEN_.*|GRADLE_.*|GO(?:FLAGS|PATH|ROOT|PROXY|BIN)|CARGO.*|RUST(?:C|FLAGS|_.*|UP_.*)?|CC|CXX|LD|AR|AS|CFLAGS|LDFLAGS|MAKE.*|EDITOR|VISUAL|.*PAGER|BROWSER|LESS.*|MAN.*|TERMINFO.*|XDG_.*|SSH_.*|SUDO_.*|.*_PROXY|.*_proxy|.*ASKPASS|.*_COMMAND|.*_WRAPPER|.*_OPTIONS|.*_OPTS|.*_CONFIG|GCONV_PATH|LOCPATH|NLSPATH|HOSTALIASES|RES_OPTIONS|MALLOC_.*|GREP_.*|TAR_OPTIONS|GEMINI_.*|GOOGLE_.*|CASTOR_.*|DOCKER_.*|KUBECONFIG|AWS_.*)$/;

const HARMLESS_VARIABLE =
  /^(?:NODE_ENV|NODE_NO_WARNINGS|PYTHONUNBUFFERED|PYTHONDONTWRITEBYTECODE|RUST_LOG|RUST_BACKTRACE|GIT_PAGER_IN_USE|LESSCHARSET)$/;

export function assignmentRisk(name: string): Risk[] {
  if (HARMLESS_VARIABLE.test(name) || !LOADER_VARIABLE.test(name)) return [];
  return [{ reason: `the variable ${name} changes what programs load or run`, word: `${name}=`, unreadable: true }];
}
