/**
 * Lists programs that run a given command in too many ways to parse word by word: package
 * runners, environment managers, terminals, remote shells. A rule that denies a command
 * also applies behind these. It also lists programs that certainly treat their words as
 * data; any other program may not.
 */

import { SAFE_COMMANDS } from './known-commands.ts';
import { baseName } from './shell-line.ts';
import type { ShellWord } from './shell-word.ts';
import { WRITERS } from './written-words.ts';

const RUNNERS = new Set([
  ...['npx', 'pnpx', 'bunx', 'uvx', 'pipx', 'sem', 'env_parallel', 'cross-env', 'cross-env-shell', 'dotenv', 'dotenvx'],
  ...['concurrently', 'nodemon', 'watchexec', 'watchman-make', 'foreman', 'just', 'hyperfine', 'multitime', 'rr'],
  ...['chpst', 'setuidgid', 's6-setuidgid', 'softlimit', 'envdir', 'envuidgid', 'daemonize', 'daemon', 'setlock'],
  ...['start-stop-daemon', 'dbus-launch', 'machinectl', 'gnome-terminal', 'konsole', 'xterm', 'kitty', 'alacritty'],
  ...['mosh', 'pssh', 'sshpass', 'autossh', 'dbclient', 'plink', 'rsh', 'ssh', 'wsl', 'wine', 'catchsegv', 'lldb'],
  ...[
    'choom',
    'uclampset',
    'schedtool',
    'cgexec',
    'i386',
    'x86_64',
    'tsocks',
    'ansible',
    'nix-shell',
    'tmux',
    'screen',
  ],
  ...['nu', 'xonsh', 'elvish', 'rc', 'es', 'sg', 'newgrp', 'capsh', 'systemd-inhibit', 'gnome-session-inhibit'],
]);

/** These run a command only after a subcommand. */
const SUBCOMMAND_RUNNERS: Readonly<Record<string, RegExp>> = {
  npm: /^(?:exec|x|explore)$/,
  pnpm: /^(?:exec|dlx)$/,
  yarn: /^(?:exec|dlx|node)$/,
  bun: /^x$/,
  cmake: /^-E$/,
  vagrant: /^ssh$/,
  nvm: /^(?:exec|run)$/,
};
const RUN_SUBCOMMAND = /^(?:run|exec|x|tool|shell|develop|env|exec-env|exec-file|compose)$/;
const RUN_TOOLS = new Set([
  ...['uv', 'poetry', 'pipenv', 'pdm', 'hatch', 'rye', 'conda', 'mamba', 'micromamba', 'bundle', 'mise', 'asdf', 'lxc'],
  ...['direnv', 'rbenv', 'pyenv', 'volta', 'fnm', 'op', 'aws-vault', 'sops', 'doppler', 'nix', 'docker', 'podman'],
  ...['kubectl', 'incus', 'flatpak', 'toolbox', 'distrobox', 'devbox', 'heroku', 'firebase', 'dotnet', 'opam', 'stack'],
]);

/** Whether any later word may begin a command that it runs. */
export function isRunner(words: readonly ShellWord[]): boolean {
  const [head, ...rest] = words;
  if (head === undefined) return false;
  const name = baseName(head);
  if (RUNNERS.has(name) || name.startsWith('qemu-')) return true;
  const own = Object.hasOwn(SUBCOMMAND_RUNNERS, name) ? SUBCOMMAND_RUNNERS[name] : undefined;
  const pattern = own ?? (RUN_TOOLS.has(name) ? RUN_SUBCOMMAND : undefined);
  return pattern !== undefined && rest.some(({ value }) => pattern.test(value));
}

/** Their commands run on another machine, or without access to the files of this one. */
const ELSEWHERE = new Set([
  ...['docker', 'podman', 'kubectl', 'lxc', 'incus', 'heroku', 'firebase', 'vagrant', 'ansible', 'machinectl'],
  ...['mosh', 'pssh', 'sshpass', 'autossh', 'dbclient', 'plink', 'rsh', 'ssh', 'wsl'],
]);

export function runsElsewhere([head]: readonly ShellWord[]): boolean {
  return head !== undefined && ELSEWHERE.has(baseName(head));
}

/** System commands that have no good reason to run behind a package runner; other names may belong to a package. */
const SYSTEM_COMMANDS = new Set([
  ...['rm', 'mv', 'cp', 'dd', 'ln', 'tee', 'touch', 'truncate', 'install', 'chmod', 'chown', 'mkdir', 'shred', 'find'],
  ...['sh', 'bash', 'zsh', 'dash', 'env', 'sudo', 'xargs', 'git', 'sed', 'perl', 'curl', 'wget', 'crontab', 'nohup'],
]);

/** The index where a system command begins that a runner on this machine is given; -1 when there is none. */
export function systemCommandIn(words: readonly ShellWord[]): number {
  const [head] = words;
  if (head === undefined || ELSEWHERE.has(baseName(head)) || !isRunner(words)) return -1;
  return words.findIndex((word, index) => index > 0 && SYSTEM_COMMANDS.has(baseName(word)));
}

/** Their words are names, patterns and files; command-risks.ts checks them for code. */
const TAKES_DATA = new Set([
  ...SAFE_COMMANDS,
  ...WRITERS,
  ...[
    'uniq',
    'git',
    'find',
    'fd',
    'fdfind',
    'rg',
    'sed',
    'awk',
    'gawk',
    'test',
    '[',
    'printf',
    'type',
    'sleep',
    'date',
  ],
  ...[
    'sort',
    'base64',
    'iconv',
    'jq',
    'npm',
    'pnpm',
    'yarn',
    'bun',
    'pip',
    'pip3',
    'cargo',
    'go',
    'gem',
    'composer',
    'brew',
    'apt',
    'apt-get',
    'apk',
  ],
  ...['dnf', 'yum', 'pacman', 'make', 'gmake', 'ninja', 'gcc', 'g++', 'cc', 'clang', 'rustc', 'javac', 'tsc', 'eslint'],
  ...['prettier', 'jest', 'vitest', 'mocha', 'pytest', 'ruff', 'black', 'mypy', 'gh', 'docker', 'podman', 'kubectl'],
  ...[
    'systemctl',
    'journalctl',
    'service',
    'ps',
    'kill',
    'pkill',
    'pgrep',
    'killall',
    'top',
    'df',
    'du',
    'file',
    'diff',
  ],
  ...[
    'cmp',
    'comm',
    'join',
    'fold',
    'fmt',
    'column',
    'look',
    'strings',
    'od',
    'hexdump',
    'md5sum',
    'sha256sum',
    'less',
  ],
  ...[
    'more',
    'man',
    'info',
    'help',
    'apropos',
    'whatis',
    'whereis',
    'locate',
    'ack',
    'ag',
    'yq',
    'tree',
    'bat',
    'python',
  ],
  ...[
    'python3',
    'node',
    'ruby',
    'perl',
    'php',
    'java',
    'deno',
    'export',
    'unset',
    'read',
    'set',
    'shopt',
    'alias',
    'local',
  ],
  ...[
    'declare',
    'readonly',
    'let',
    'return',
    'exit',
    'shift',
    'wait',
    'jobs',
    'trap',
    'umask',
    'ulimit',
    'hash',
    'pushd',
  ],
  ...[
    'popd',
    'dirs',
    'getopts',
    'mapfile',
    'readarray',
    'gzip',
    'gunzip',
    'xz',
    'bzip2',
    'zstd',
    'mysql',
    'psql',
    'sqlite3',
  ],
]);

export function takesData([head]: readonly ShellWord[]): boolean {
  return head === undefined || TAKES_DATA.has(baseName(head));
}
