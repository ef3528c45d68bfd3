/**
 * Options by which ordinary programs run another program or load code, and the languages
 * that take code on the command line. Data only: what they come to is in option-risks.ts.
 */

/** Options whose value is run. Short ones by letter, long ones by name. */
export interface ProgramOptions {
  short?: string;
  long?: readonly string[];
  /** Words that carry code in some other way. */
  words?: RegExp;
}

const TEX: ProgramOptions = { words: /shell-escape|write18|enable-write/ };

/** Make runs what stands in its variables: the shell, compilers, and $(shell …) in any of them. */
const MAKE: ProgramOptions = {
  short: 'fE',
  long: ['--eval', '--file', '--makefile'],
  words: /^(?:\w*SHELL\w*|\.SHELLFLAGS|\w*MAKEFLAGS|CC|CXX|LD|AR|AS|CPP|FC|LEX|YACC)\s*[:+?]?=|\$[({]/,
};

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
      '--rmt-command',
    ],
    // The first word may hold options without a dash; a name transformed with the flag e is run.
    words: /^[A-Za-z]*[IF][A-Za-z]*$|^--(?:transform|xform)/,
  },
  rg: { short: 'z', long: ['--pre', '--hostname-bin', '--search-zip'] },
  man: { short: 'PHCpl', long: ['--pager', '--html', '--browser', '--preprocessor', '--config-file', '--local-file'] },
  ssh: { short: 'oFSE', words: /^(?!-).*$/ },
  scp: { short: 'oFS' },
  sftp: { short: 'oFSbD' },
  rsync: { short: 'eM', long: ['--rsh', '--rsync-path', '--config', '--remote-option', '--password-command'] },
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
    // Other people's programs, and what npm itself runs.
    words: /^(?:exec|x|explore|edit|config|c|set|get|init|create|innit|pkg|set-script)$/,
  },
  npx: { short: 'c', long: ['--call', '--script-shell', '--node-options'] },
  pnpm: {
    short: 'c',
    long: ['--script-shell', '--shell-mode', '--node-options', '--config'],
    words: /^(?:exec|dlx|config|create)$/,
  },
  yarn: { long: ['--script-shell', '--use-yarnrc', '--node-options'], words: /^(?:exec|dlx|config|create)$/ },
  // What is allowed to sort is not allowed to write.
  sort: { short: 'o', long: ['--compress-program', '--output'] },
  split: { long: ['--filter'] },
  zip: { long: ['--unzip-command'], words: /^-T?T/ },
  less: { short: 'kKToO', long: ['--lesskey-file', '--tag-file', '--log-file', '--LOG-FILE'], words: /^\+/ },
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
  make: MAKE,
  gmake: MAKE,
  remake: MAKE,
  curl: {
    short: 'KoOTDcEx',
    long: [
      ...['--config', '--output', '--output-dir', '--remote-name', '--remote-name-all', '--engine', '--upload-file'],
      ...['--dump-header', '--cookie-jar', '--trace', '--trace-ascii', '--stderr', '--libcurl', '--hsts', '--alt-svc'],
      ...[
        '--etag-save',
        '--unix-socket',
        '--abstract-unix-socket',
        '--proxy',
        '--preproxy',
        '--netrc-file',
        '--variable',
      ],
    ],
    // A file is sent, or read over another protocol than the web's.
    words: /^@|^[^-=]*=[@<]|^(?:file|scp|sftp|smb|telnet|gopher|dict|ldap|ftp)s?:/i,
  },
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
  mysql: {
    short: 'e',
    long: ['--execute', '--pager', '--init-command', '--defaults-file', '--defaults-extra-file', '--plugin-dir'],
  },
  go: { words: /^-{1,2}(?:toolexec|exec|vettool|overlay|modfile|ldflags|gccgoflags|w$)/ },
  cargo: { long: ['--config'] },
  mvn: { words: /exec:/ },
  gradle: { short: 'I', long: ['--init-script'] },
  install: { long: ['--strip-program'] },
  openssl: { words: /^-(?:engine|provider|config|out|keyout|writerand)|^engine$/ },
  docker: {
    words:
      /^(?:run|exec|cp|build|buildx|compose|plugin|context|stack|load|import|create|-H|--host.*|--context.*|--config.*)$/,
  },
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
  crontab: { words: /^(?!-l$)/ },
  cmake: { words: /^-[PE]/ },
  ninja: { short: 'fC' },
  rpm: { words: /^(?:-E|--eval|-D|--define|--load|--macros|--pipe)/ },
  m4: { words: /^/ },
  dc: { short: 'ef', long: ['--expression', '--file'] },
  gpg: { long: ['--photo-viewer', '--exec-path', '--agent-program', '--pinentry-program', '--options'] },
  mongo: { long: ['--eval'] },
  mongosh: { long: ['--eval', '--file'] },
  latex: TEX,
  pdflatex: TEX,
  xelatex: TEX,
  lualatex: TEX,
  tex: TEX,
  gs: { words: /^-d(?:NOSAFER|DELAYSAFER)/ },
  sshpass: { words: /^/ },
  'run-parts': { words: /^/ },
  dpkg: { words: /^--(?:pre|post)-invoke|^--root/ },
  apt: { short: 'oc', long: ['--option', '--config-file'] },
  'apt-get': { short: 'oc', long: ['--option', '--config-file'] },
  pip: {
    short: 'i',
    long: ['--config-settings', '--global-option', '--index-url', '--extra-index-url', '--python', '--proxy', '--log'],
    words: /^(?:config|git\+.*)$/,
  },
  xterm: { words: /^-e$/ },
  tmux: { words: /^/ },
  screen: { words: /^/ },
  iconv: { short: 'o', long: ['--output'] },
  tee: {},
};

/** Languages with an option for code on the command line. */
const INTERPRETERS: readonly (readonly [RegExp, ProgramOptions])[] = [
  [/^(?:i?python|pypy)[\d.]*$/, { short: 'ci', words: /^(?:-m)?(?:timeit|pdb|runpy|code|trace|c?Profile|doctest)$/ }],
  [/^perl[\d.]*$/, { short: 'eEMmIx' }],
  [/^ruby[\d.]*$/, { short: 'erI' }],
  [
    /^(?:node|nodejs|bun|deno|tsx|ts-node)$/,
    {
      short: 'epri',
      long: [
        ...['--eval', '--print', '--require', '--import', '--loader', '--experimental-loader', '--env-file'],
        ...['--env-file-if-exists', '--openssl-config', '--interactive', '--inspect', '--inspect-brk', '--run'],
      ],
      words: /^eval$|^data:|^https?:/,
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

export function programOptionsOf(name: string): ProgramOptions | undefined {
  if (Object.hasOwn(PROGRAM_OPTIONS, name)) return PROGRAM_OPTIONS[name];
  return INTERPRETERS.find(([pattern]) => pattern.test(name))?.[1];
}

export function isInterpreter(name: string): boolean {
  return INTERPRETERS.some(([pattern]) => pattern.test(name));
}
