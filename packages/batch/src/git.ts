/** Runs git for a task: arguments only, without hooks, prompts, a pager or programs that a repository names. */

import { spawn } from 'node:child_process';
import { closeSync, existsSync, openSync, readFileSync, rmSync, statSync, truncateSync } from 'node:fs';
import type { Environment, Start, Starter } from './starter.ts';

const QUIET = [
  ...['-c', 'core.hooksPath=/dev/null', '-c', 'core.fsmonitor=false', '-c', 'core.quotePath=false'],
  ...['-c', 'protocol.ext.allow=never', '-c', 'advice.detachedHead=false', '-c', 'gc.auto=0'],
];
const IDENTITY = {
  GIT_AUTHOR_NAME: 'Castor',
  GIT_AUTHOR_EMAIL: 'castor@localhost',
  GIT_COMMITTER_NAME: 'Castor',
  GIT_COMMITTER_EMAIL: 'castor@localhost',
  GIT_TERMINAL_PROMPT: '0',
  GIT_PAGER: 'cat',
  LC_ALL: 'C',
};
/** The only variables of the user that git gets: enough for ssh keys and proxies. */
const PASSED = [
  'PATH',
  'HOME',
  'SSH_AUTH_SOCK',
  'HTTPS_PROXY',
  'https_proxy',
  'HTTP_PROXY',
  'http_proxy',
  'NO_PROXY',
  'no_proxy',
];
const MAX_MESSAGE = 500;

export interface GitOptions {
  directory: string;
  environment: Environment;
  signal?: AbortSignal | undefined;
  /** The output goes to this file. */
  output?: string | undefined;
  /** Its output is of no interest. */
  isSilent?: boolean | undefined;
  /** Starts git for the worker of a task, whose file of errors also gets those of git; `scratch` may be written, `identity` names its process. */
  by?: { starter: Starter; scratch: string; errors: string; identity: string } | undefined;
  variables?: Readonly<Record<string, string>>;
}

/** git failed; the message holds its own words. */
export class GitError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'GitError';
  }
}

/**
 * git reads the records of all worktrees, and fails on one that another git is writing or a task is removing at this moment. The end of the
 * only other worktree takes their folder away, also from a git that has just made it for its own.
 */
const HALF_WRITTEN = /failed to read \S*worktrees\/\S+|\/worktrees\b.*No such file or directory/;
const HALF_WRITTEN_TRIES = 40;
const HALF_WRITTEN_MS = 50;

/** Resolves with its output. Throws GitError. */
export async function git(args: readonly string[], options: GitOptions): Promise<string> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await (options.by ? runBy(options.by, args, options) : runOnce(args, options));
    } catch (error) {
      const isPassing = error instanceof GitError && HALF_WRITTEN.test(error.message) && tries < HALF_WRITTEN_TRIES;
      if (!isPassing || options.signal?.aborted) throw error;
      await new Promise((resolve) => setTimeout(resolve, HALF_WRITTEN_MS));
    }
  }
}

/** Only whether it succeeds: what it would print is `expected`. A shell of the starter compares, so that no file is needed. */
export async function gitPrints(expected: string, args: readonly string[], options: GitOptions): Promise<boolean> {
  if (!options.by) return (await git(args, options)).trimEnd() === expected;
  const compare = 'expected=$1; shift; printed=$("$@") && test "$printed" = "$expected"';
  const words = ['sh', '-c', compare, 'sh', expected, 'git', ...QUIET, ...args] as const;
  return (await runStarted(options.by, words, options, '/dev/null')) === 0;
}

/** For a starter, before the program that needs it. */
export function gitFirst(args: readonly string[], options: GitOptions): NonNullable<Start['first']> {
  return { words: ['git', ...QUIET, ...args], directory: options.directory, environment: environmentOf(options) };
}

/** Why it failed: the last words in its file of errors. */
export function firstFailure(first: NonNullable<Start['first']>, errors: string): GitError {
  const why = existsSync(errors) ? readFileSync(errors, 'utf8').trim().slice(-MAX_MESSAGE) : '';
  return failure(['reset'], first.directory, why || 'without words');
}

async function runBy(by: NonNullable<GitOptions['by']>, args: readonly string[], options: GitOptions): Promise<string> {
  const { directory, isSilent } = options;
  const stdout = options.output ?? (isSilent ? '/dev/null' : by.scratch);
  const told = statSync(by.errors, { throwIfNoEntry: false })?.size ?? 0;
  try {
    if (!isSilent) rmSync(stdout, { force: true });
    const code = await runStarted(by, ['git', ...QUIET, ...args], options, stdout);
    if (code !== 0) {
      const words = readFileSync(by.errors).subarray(told).toString('utf8').trim();
      // The result tells them, or the next try makes them untrue.
      truncateSync(by.errors, told);
      throw failure(args, directory, words || `exit code ${code}`);
    }
    return stdout === by.scratch ? readFileSync(stdout, 'utf8') : '';
  } finally {
    if (stdout === by.scratch) rmSync(stdout, { force: true });
  }
}

async function runStarted(
  { starter, errors, identity }: NonNullable<GitOptions['by']>,
  words: Start['words'],
  options: GitOptions,
  stdout: string,
): Promise<number | null> {
  const { directory, signal } = options;
  signal?.throwIfAborted();
  const files = { stdout, stderr: errors, identity };
  const started = starter.start({ words, directory, environment: environmentOf(options), ...files });
  const end = () => started.end('SIGTERM');
  signal?.addEventListener('abort', end, { once: true });
  try {
    return await started.ended;
  } finally {
    signal?.removeEventListener('abort', end);
  }
}

function runOnce(args: readonly string[], options: GitOptions): Promise<string> {
  const { directory, signal, output } = options;
  const file = output === undefined ? undefined : openSync(output, 'w', 0o600);
  return new Promise<string>((resolve, reject) => {
    const child = spawn('git', [...QUIET, ...args], {
      ...{ cwd: directory, env: environmentOf(options) as NodeJS.ProcessEnv, signal },
      stdio: ['ignore', file ?? 'pipe', 'pipe'],
    });
    const [out, err]: [Buffer[], Buffer[]] = [[], []];
    child.stdout?.on('data', (chunk: Buffer) => out.push(chunk));
    child.stderr?.on('data', (chunk: Buffer) => err.push(chunk));
    child.once('error', (error: NodeJS.ErrnoException) => {
      const why = error.code === 'ENOENT' ? 'git is not installed, or the folder is missing.' : error.message;
      reject(failure(args, directory, why));
    });
    child.once('close', (code) => {
      if (code === 0) return resolve(Buffer.concat(out).toString('utf8'));
      const words = Buffer.concat(err).toString('utf8').trim();
      return reject(failure(args, directory, words || `exit code ${code}`));
    });
  }).finally(() => void (file !== undefined && closeSync(file)));
}

function failure([command = '']: readonly string[], directory: string, why: string): GitError {
  return new GitError(`git ${command} failed in ${directory}: ${why.slice(0, MAX_MESSAGE)}`);
}

const environments = new WeakMap<Environment, Environment>();

/** The same object for the same one: a starter remembers what it knows of it. */
function environmentOf({ environment, variables }: GitOptions): Environment {
  const passed = environments.get(environment) ?? {
    ...Object.fromEntries(PASSED.flatMap((name) => (environment[name] ? [[name, environment[name]]] : []))),
    ...IDENTITY,
  };
  environments.set(environment, passed);
  return variables ? { ...passed, ...variables } : passed;
}
