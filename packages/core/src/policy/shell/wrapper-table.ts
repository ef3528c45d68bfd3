/**
 * Lists commands that run the command in their arguments, and the syntax of their own
 * options. Data only: an option missing here makes the wrapper uncertain.
 */

export interface WrapperOptions {
  /** Short options without a value. */
  flags?: string;
  /** Short options with a value. */
  values?: string;
  longFlags?: readonly string[];
  longValues?: readonly string[];
  /** Words before the command, such as a duration. */
  operands?: number;
  /** Takes NAME=value words before the command. */
  assigns?: boolean;
  transparent?: boolean;
  /** Adds arguments that are not in the line. */
  moreArguments?: boolean;
  /** Joins its words and passes them to a shell. */
  joins?: boolean;
  /** Options whose value is a script. */
  scripts?: string;
  /** Options whose value is a folder to change to. */
  directories?: string;
}

/** Has no options of its own. */
export const PLAIN: WrapperOptions = { transparent: true };
/** Its inner command is checked, but the wrapper is too: it changes how the command runs. */
export const ESCALATING: WrapperOptions = {};

export const WRAPPERS: Readonly<Record<string, WrapperOptions>> = {
  env: {
    transparent: true,
    assigns: true,
    flags: 'i0v',
    values: 'uC',
    scripts: 'S',
    directories: 'C',
    longFlags: ['--ignore-environment', '--null', '--debug'],
    longValues: ['--unset', '--chdir', '--split-string'],
  },
  command: { transparent: true, flags: 'p' },
  builtin: PLAIN,
  exec: { transparent: true, flags: 'cl', values: 'a' },
  nohup: PLAIN,
  setsid: { transparent: true, flags: 'cfw', longFlags: ['--ctty', '--fork', '--wait'] },
  timeout: {
    transparent: true,
    operands: 1,
    flags: 'vfp',
    values: 'ks',
    longFlags: ['--foreground', '--preserve-status', '--verbose'],
    longValues: ['--kill-after', '--signal'],
  },
  gtimeout: { transparent: true, operands: 1, flags: 'v', values: 'ks' },
  nice: { transparent: true, flags: '0123456789', values: 'n', longValues: ['--adjustment'] },
  ionice: { transparent: true, flags: 't', values: 'cn', longValues: ['--class', '--classdata'] },
  stdbuf: { transparent: true, values: 'ioe', longValues: ['--input', '--output', '--error'] },
  time: { transparent: true, flags: 'pvaq', values: 'f', longFlags: ['--portability', '--verbose', '--quiet'] },
  chronic: PLAIN,
  unbuffer: { transparent: true, flags: 'p' },
  caffeinate: { transparent: true, flags: 'disum', values: 'tw' },
  eatmydata: PLAIN,
  taskset: { transparent: true, operands: 1, flags: 'ac' },
  xargs: {
    transparent: true,
    moreArguments: true,
    flags: '0rtpxo',
    values: 'IEdnPLsa',
    longFlags: ['--null', '--no-run-if-empty', '--verbose', '--exit'],
    longValues: ['--delimiter', '--max-args', '--max-procs', '--max-lines', '--replace', '--max-chars', '--arg-file'],
  },
  busybox: PLAIN,
  toybox: PLAIN,
  watch: {
    transparent: true,
    joins: true,
    flags: 'bcdegptwx',
    values: 'n',
    longFlags: ['--differences', '--color', '--beep', '--errexit', '--chgexit', '--precise', '--no-title'],
    longValues: ['--interval'],
  },
  sudo: {
    flags: 'ABbEeHiKklnPSsVv',
    values: 'CDghpRrTtUu',
    assigns: true,
    longFlags: ['--preserve-env', '--non-interactive', '--login', '--shell', '--stdin', '--background', '--set-home'],
    longValues: ['--user', '--group', '--chdir', '--prompt', '--host'],
    directories: 'D',
  },
  doas: { flags: 'Lns', values: 'aCu' },
  pkexec: { longValues: ['--user'] },
  su: { flags: 'lmp-', values: 'sgGw', scripts: 'c', operands: 0, longValues: ['--command'] },
  runuser: { flags: 'lmp-', values: 'ugG', scripts: 'c' },
  script: { flags: 'aefqr', values: 'EIOBTmo', scripts: 'c' },
  flock: { flags: 'sxnuoFv', values: 'wE', scripts: 'c', operands: 1 },
  chroot: { operands: 1, longValues: ['--userspec', '--groups'] },
  gosu: { operands: 1 },
  'su-exec': { operands: 1 },
  unshare: { flags: 'mupniUCTrfc', values: 'SGRw' },
  nsenter: { flags: 'amupniUCTF', values: 'tSGrw' },
  strace: { flags: 'cCdfFhikqrtTvVxyYzZ', values: 'abeEIoOpPsSuUX' },
  ltrace: { flags: 'bcCfhiLrStT', values: 'adeFlnopsuwx' },
  fakeroot: ESCALATING,
  proot: { values: 'rbw' },
  firejail: ESCALATING,
  bwrap: ESCALATING,
  'systemd-run': { flags: 'tqPd', values: 'puEMH' },
  'dbus-run-session': ESCALATING,
  'xvfb-run': { flags: 'alc', values: 'efnpsw' },
  faketime: { operands: 1, flags: 'mf' },
  proxychains: { flags: 'q', values: 'f' },
  proxychains4: { flags: 'q', values: 'f' },
  torsocks: ESCALATING,
  rlwrap: ESCALATING,
  setarch: { operands: 1 },
  linux32: ESCALATING,
  linux64: ESCALATING,
  numactl: ESCALATING,
  chrt: { operands: 1, flags: 'abfior' },
  prlimit: ESCALATING,
  cpulimit: { flags: 'zivf', values: 'lp' },
  setpriv: ESCALATING,
  runcon: { operands: 1 },
  tini: ESCALATING,
  'dumb-init': ESCALATING,
  entr: { flags: 'acdnprsz' },
  parallel: { moreArguments: true, flags: '0kXmqtvu', values: 'jINaS' },
  hyperfine: ESCALATING,
  gdb: { longFlags: ['--args', '--batch'] },
  valgrind: ESCALATING,
  perf: { operands: 1 },
};
