/**
 * Lists options by which ordinary programs run another program or load code, and the
 * languages that accept code on the command line. Data only: option-risks.ts evaluates
 * them.
 */

/** Options whose value is executed. Short ones by letter, long ones by name. */
export interface ProgramOptions {
  short?: string;
  long?: readonly string[];
  /** Words that contain code in another way. */
  words?: RegExp;
}

const TEX: ProgramOptions = { words: /shell-escape|write18|enable-write/ };

/** Options that name a program, a plug-in or a file of more options. */
const COMPILER: ProgramOptions = {
  words: /^-(?:wrapper|fplugin|specs|B|Xclang|load|fuse-ld|-ld-path|-config)|^@/,
};

/** Make runs the values of its variables: the shell, compilers, and $(shell …) in any of them. */
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
    // The first word may contain options without a dash; a name transformed with the flag e is executed.
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
    short: 'cC',
    // Third-party programs, and commands that npm itself runs.
    words: /^(?:exec|x|explore|edit|config|c|set|get|init|create|innit|pkg|set-script)$/,
  },
  npx: { short: 'c', long: ['--call', '--script-shell', '--node-options'] },
  pnpm: {
    short: 'cC',
    long: ['--script-shell', '--shell-mode', '--node-options', '--config', '--dir', '--pnpmfile', '--global-pnpmfile'],
    words: /^(?:exec|dlx|config|create)$/,
  },
  yarn: {
    long: ['--script-shell', '--use-yarnrc', '--node-options', '--cwd'],
    words: /^(?:exec|dlx|config|create|plugin|policies|set)$/,
  },
  // Permission to sort does not include writing.
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
  gcc: COMPILER,
  'g++': COMPILER,
  cc: COMPILER,
  clang: COMPILER,
  'clang++': COMPILER,
  java: { words: /^-(?:javaagent|agentlib|agentpath|XX:On|XX:Flags|XX:VMOptionsFile)|^@/ },
  javac: { words: /^-{1,2}(?:processor|J)|^@/ },
  rustc: { words: /linker=|^-Zcodegen-backend|^@/ },
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
        '--proto-default',
      ],
    ],
    // It sends a file, or uses a protocol other than the web's.
    words: /^@|^[^-=]*=[@<]|^[\w.-]+@\/|%output\{|^(?:file|scp|sftp|smb|telnet|gopher|dict|ldap|ftp)s?:/i,
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
  // Dot commands may be shortened; these functions load, run or write.
  sqlite3: {
    words:
      /^\s*\.(?:sh|sy|lo|ou|on|im|rea|ba|sa|ex|e$|w|cl|ar|cd|op)|\.(?:shell|system|load|output|once)|(?:load_extension|writefile|edit|fts3_tokenizer)\s*\(|^-{1,2}(?:cmd|init)/i,
  },
  psql: { short: 'cf', long: ['--command', '--file'] },
  mysql: {
    short: 'e',
    long: ['--execute', '--pager', '--init-command', '--defaults-file', '--defaults-extra-file', '--plugin-dir'],
  },
  go: { words: /^-{1,2}(?:toolexec|exec|vettool|overlay|modfile|ldflags|gccgoflags|w$)/ },
  cargo: { long: ['--config'] },
  mvn: { words: /exec:|:exec$|exec-maven|antrun|^-Dexec/ },
  gradle: { short: 'I', long: ['--init-script'] },
  install: { long: ['--strip-program'] },
  openssl: { words: /^-(?:engine|provider|config|out|keyout|writerand)|^engine$/ },
  docker: {
    words:
      /^(?:run|exec|cp|build|buildx|compose|plugin|context|stack|load|import|create|-H|--host.*|--context.*|--config.*)$/,
  },
  podman: { words: /^(?:run|exec|cp|build|compose|--url.*)$/ },
  kubectl: { words: /^(?:exec|run|debug|cp|plugin|edit|config|--kubeconfig.*)$/ },
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
  cmake: { words: /^-[PEC]|^-D\s*CMAKE_\w*(?:COMPILER|TOOLCHAIN|LAUNCHER|LINKER|MAKE_PROGRAM)|^\w*SHELL=/ },
  // A command run on each found file, in one word with the option.
  fd: { words: /^-[A-Za-z]+[xX]|^-[xX].|^--exec(?:-batch)?=/ },
  fdfind: { words: /^-[A-Za-z]+[xX]|^-[xX].|^--exec(?:-batch)?=/ },
  bat: { long: ['--pager'] },
  tree: { short: 'o' },
  strace: { words: /^\||^-o\|/ },
  pandoc: {
    short: 'FLo',
    long: ['--filter', '--lua-filter', '--pdf-engine', '--defaults', '--output', '--extract-media'],
  },
  helm: { long: ['--post-renderer'], words: /^plugin$/ },
  gh: { words: /^(?:extension|extensions|ext|alias|config|codespace|cs)$|^--upload-pack/ },
  terraform: { words: /^-(?:chdir|plugin-dir)/ },
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
  base64: { short: 'o', long: ['--output'] },
  yq: { short: 'i', long: ['--inplace', '--in-place'] },
  ag: { long: ['--pager'] },
  file: { short: 'C', long: ['--compile'] },
};

/** Languages with an option for code on the command line. */
const INTERPRETERS: readonly (readonly [RegExp, ProgramOptions])[] = [
  [/^(?:i?python|pypy)[\d.]*$/, { short: 'ci', words: /^(?:-m)?(?:timeit|pdb|runpy|code|trace|c?Profile|doctest)$/ }],
  [/^perl[\d.]*$/, { short: 'eEMmIx' }],
  [/^ruby[\d.]*$/, { short: 'erI', long: ['--require', '--enable'] }],
  [
    /^(?:node|nodejs|bun|deno|tsx|ts-node)$/,
    {
      short: 'epri',
      long: [
        ...['--eval', '--print', '--require', '--import', '--loader', '--experimental-loader', '--env-file'],
        ...['--env-file-if-exists', '--openssl-config', '--interactive', '--inspect', '--inspect-brk', '--run'],
        ...['--test-reporter', '--test-global-setup', '--experimental-config-file', '--preload'],
      ],
      words: /^(?:eval|x|create)$|^data:|^https?:/,
    },
  ],
  [/^php[\d.]*$/, { short: 'rBREd', long: ['--run', '--process', '--define', '--interactive', '--php-ini'] }],
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
