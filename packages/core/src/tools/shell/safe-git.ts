/**
 * safeGit: runs our own git calls safely in untrusted repositories. It passes arguments
 * only, no shell, and executes nothing the repository configures: settings with fixed
 * names are overridden, settings the repository names itself (filters, drivers, helpers)
 * are looked up first and disabled. It ignores submodules, the network and the user's own
 * configuration.
 */

import { isAbsolute } from 'node:path';
import { STRICT_GIT_CONFIG, toGitConfig } from './child-environment.ts';
import type { Environment } from './redact-environment.ts';
import { disableSettings } from './repository-settings.ts';
import { findProgram } from './shell-program.ts';
import { builtin } from '../../util/builtin-modules.ts';
import { isInside } from '../../util/is-inside.ts';

export interface SafeGitOptions {
  directory: string;
  /** For PATH and HOME; no other variable is used. */
  environment: Environment;
  signal?: AbortSignal;
  timeoutMs?: number;
}

export interface GitResult {
  code: number;
  stdout: string;
  stderr: string;
}

const DEFAULT_TIMEOUT_MS = 10_000;
const OUTPUT_LIMIT = 32 * 1024 * 1024;

/** Options that prevent single commands from running programs of the configuration. */
const NEEDED_OPTIONS: Readonly<Record<string, readonly string[]>> = {
  status: ['--ignore-submodules=all'],
  diff: ['--no-ext-diff', '--no-textconv', '--ignore-submodules=all'],
  'diff-tree': ['--no-ext-diff', '--no-textconv', '--ignore-submodules=all'],
  'diff-index': ['--no-ext-diff', '--no-textconv', '--ignore-submodules=all'],
  'diff-files': ['--no-ext-diff', '--no-textconv', '--ignore-submodules=all'],
  log: ['--no-ext-diff', '--no-textconv', '--no-show-signature'],
  show: ['--no-ext-diff', '--no-textconv', '--no-show-signature'],
  blame: ['--no-textconv'],
  grep: ['--no-textconv', '--no-recurse-submodules'],
};

/**
 * Runs `git <args>`; the first argument is the command. Rejects when git is missing,
 * takes too long or is cancelled; an exit code is a result.
 */
export async function safeGit(args: readonly [string, ...string[]], options: SafeGitOptions): Promise<GitResult> {
  const git = findGit(options);
  const [command, ...rest] = args;
  const base = environmentOf(options.environment);
  const listing = await runGit(
    git,
    ['config', '--list', '-z', '--name-only'],
    { ...base, ...toGitConfig([]) },
    options,
  );
  const overrides = [...STRICT_GIT_CONFIG, ...disableSettings(listing.stdout.split('\0'))];
  const environment = { ...base, ...toGitConfig(overrides) };
  return runGit(git, [command, ...(NEEDED_OPTIONS[command] ?? []), ...rest], environment, options);
}

/**
 * Variables to add to `environment` that prevent git commands of a shell in this directory
 * from running programs the repository names itself. The user's settings stay. Empty
 * without a repository or without git.
 */
export async function guardRepository(
  directory: string,
  environment: Record<string, string>,
): Promise<Record<string, string>> {
  try {
    const options = { directory, environment };
    const args = ['config', '--list', '-z', '--name-only', '--show-scope'];
    const { stdout } = await runGit(findGit(options), args, environment, options);
    const words = stdout.split('\0');
    const own = words.filter((_, index) => index % 2 === 1 && /^(local|worktree)$/.test(words[index - 1]!));
    const overrides = disableSettings(own);
    return overrides.length === 0 ? {} : toGitConfig(overrides, Number(environment['GIT_CONFIG_COUNT'] ?? 0));
  } catch {
    // Without git there is nothing to prevent.
    return {};
  }
}

/** Never finds git in the folder to be inspected. */
function findGit({ directory, environment }: SafeGitOptions): string {
  const entries = (environment['PATH'] ?? '')
    .split(':')
    .filter((entry) => isAbsolute(entry) && !isInside(entry, directory));
  const found = findProgram(['git'], { PATH: entries.join(':') }, ['/usr/bin', '/bin', '/usr/local/bin']);
  if (found === undefined) throw Object.assign(new Error('git was not found.'), { code: 'ENOENT' });
  return found;
}

function environmentOf(environment: Environment): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const name of ['PATH', 'HOME', 'TMPDIR', 'SystemRoot']) {
    const value = environment[name];
    if (value !== undefined) kept[name] = value;
  }
  return {
    ...kept,
    LC_ALL: 'C.UTF-8',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_SYSTEM: '/dev/null',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_ATTR_NOSYSTEM: '1',
    GIT_OPTIONAL_LOCKS: '0',
    GIT_TERMINAL_PROMPT: '0',
    GIT_PAGER: 'cat',
    GIT_EDITOR: ':',
    GIT_SEQUENCE_EDITOR: ':',
    GIT_ASKPASS: 'true',
    SSH_ASKPASS: 'true',
    GIT_SSH_COMMAND: 'false',
    GIT_ALLOW_PROTOCOL: 'none',
    GIT_NO_LAZY_FETCH: '1',
    GIT_NO_REPLACE_OBJECTS: '1',
  };
}

function runGit(
  git: string,
  args: readonly string[],
  environment: Record<string, string>,
  { directory, signal, timeoutMs = DEFAULT_TIMEOUT_MS }: SafeGitOptions,
): Promise<GitResult> {
  return new Promise((resolve, reject) => {
    const child = builtin.childProcess.execFile(
      git,
      [...args],
      {
        cwd: directory,
        env: environment,
        timeout: timeoutMs,
        killSignal: 'SIGKILL',
        maxBuffer: OUTPUT_LIMIT,
        signal,
      },
      (error, stdout, stderr) => {
        if (error === null) resolve({ code: 0, stdout, stderr });
        else if (typeof error.code === 'number') resolve({ code: error.code, stdout, stderr });
        else reject(error);
      },
    );
    child.stdin?.end();
  });
}
