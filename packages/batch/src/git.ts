/** Runs git for a task: arguments only, without hooks, prompts, a pager or programs that a repository names. */

import { spawn } from 'node:child_process';

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
  environment: Readonly<Record<string, string | undefined>>;
  signal?: AbortSignal | undefined;
  /** The output goes to this file descriptor. */
  stdout?: number;
  variables?: Readonly<Record<string, string>>;
}

/** git failed; the message holds its own words. */
export class GitError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'GitError';
  }
}

/** git reads the records of all worktrees, and fails on one that another git is writing at this moment. */
const HALF_WRITTEN = /failed to read \S*worktrees\/\S+/;
const HALF_WRITTEN_TRIES = 40;
const HALF_WRITTEN_MS = 50;

/** Resolves with its output. Throws GitError. */
export async function git(args: readonly string[], options: GitOptions): Promise<string> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await runOnce(args, options);
    } catch (error) {
      const isPassing = error instanceof GitError && HALF_WRITTEN.test(error.message) && tries < HALF_WRITTEN_TRIES;
      if (!isPassing || options.signal?.aborted) throw error;
      await new Promise((resolve) => setTimeout(resolve, HALF_WRITTEN_MS));
    }
  }
}

function runOnce(
  args: readonly string[],
  { directory, environment, signal, stdout, variables }: GitOptions,
): Promise<string> {
  const passed = Object.fromEntries(PASSED.flatMap((name) => (environment[name] ? [[name, environment[name]]] : [])));
  return new Promise((resolve, reject) => {
    const child = spawn('git', [...QUIET, ...args], {
      cwd: directory,
      env: { ...passed, ...IDENTITY, ...variables },
      stdio: ['ignore', stdout ?? 'pipe', 'pipe'],
      signal,
    });
    const [out, err]: [Buffer[], Buffer[]] = [[], []];
    child.stdout?.on('data', (chunk: Buffer) => out.push(chunk));
    child.stderr?.on('data', (chunk: Buffer) => err.push(chunk));
    child.once('error', (error: NodeJS.ErrnoException) => {
      const why = error.code === 'ENOENT' ? 'git is not installed, or the folder is missing.' : error.message;
      reject(new GitError(`git ${args[0] ?? ''} failed in ${directory}: ${why}`));
    });
    child.once('close', (code) => {
      if (code === 0) return resolve(Buffer.concat(out).toString('utf8'));
      const words = Buffer.concat(err).toString('utf8').trim().slice(0, MAX_MESSAGE);
      return reject(new GitError(`git ${args[0] ?? ''} failed in ${directory}: ${words || `exit code ${code}`}`));
    });
  });
}
