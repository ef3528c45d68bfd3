/** Runs git for a worktree of a trusted project: arguments only, without hooks, prompts or a pager. */

import { getErrorMessage, ToolError } from '../protocol/errors.ts';
import { runChild } from '../tools/run-child.ts';
import { systemClock } from '../util/clock.ts';

export interface GitOptions {
  directory: string;
  /** For PATH and HOME. */
  environment: Readonly<Record<string, string>>;
  signal: AbortSignal;
  /** Added to the environment. */
  variables?: Readonly<Record<string, string>>;
  /** Exit codes that are results. Default: 0 only. */
  accepts?: (code: number | null) => boolean;
}

const QUIET = ['-c', 'core.hooksPath=/dev/null', '-c', 'core.fsmonitor=false', '-c', 'core.quotePath=false'];
const IDENTITY = {
  GIT_AUTHOR_NAME: 'Castor',
  GIT_AUTHOR_EMAIL: 'castor@localhost',
  GIT_COMMITTER_NAME: 'Castor',
  GIT_COMMITTER_EMAIL: 'castor@localhost',
  GIT_TERMINAL_PROMPT: '0',
  GIT_PAGER: 'cat',
  LC_ALL: 'C',
};
const TIMEOUT_MS = 300_000;
const MAX_OUTPUT = 64 * 1024 * 1024;

/**
 * git reads the records of all worktrees, and fails on one that another git is writing at this moment. The end of the only other worktree
 * takes their folder away, also from a git that has just made it for its own.
 */
const HALF_WRITTEN =
  /failed to read \S*worktrees\/\S+|could not create (?:directory|leading directories) of \S*worktrees\/\S+ No such file/;
const HALF_WRITTEN_TRIES = 40;
const HALF_WRITTEN_MS = 50;

/** Rejects with ToolError when git is missing or fails. */
export async function runGit(args: readonly string[], options: GitOptions): Promise<{ output: Buffer; code: number }> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await runOnce(args, options);
    } catch (error) {
      const isPassing = HALF_WRITTEN.test(getErrorMessage(error)) && tries < HALF_WRITTEN_TRIES;
      if (!isPassing || options.signal.aborted) throw error;
      await systemClock.sleep(HALF_WRITTEN_MS, options.signal);
    }
  }
}

async function runOnce(args: readonly string[], options: GitOptions): Promise<{ output: Buffer; code: number }> {
  const { directory, environment, signal, variables, accepts = (code) => code === 0 } = options;
  const { PATH = '', HOME = '' } = environment;
  const chunks: Buffer[] = [];
  let size = 0;
  const command = `git ${args[0] ?? ''}`;
  const outcome = await runChild({
    command: 'git',
    args: [...QUIET, ...args],
    cwd: directory,
    env: { PATH, HOME, ...IDENTITY, ...variables },
    signal,
    timeoutMs: TIMEOUT_MS,
    onStdout(chunk) {
      chunks.push(chunk);
      size += chunk.length;
      return size <= MAX_OUTPUT;
    },
  }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
    throw new ToolError('Isolation needs git, and git is not installed.', 'execution_failed');
  });
  const { code, ended, stderr } = outcome;
  if (ended === undefined && accepts(code)) return { output: Buffer.concat(chunks), code: code ?? 0 };
  const why = ended === 'timeout' ? 'it took too long' : ended === 'enough' ? 'its output is too large' : stderr.trim();
  throw new ToolError(`${command} failed in ${directory}: ${why.slice(0, 500)}`, 'execution_failed');
}

export async function askGit(args: readonly string[], options: GitOptions): Promise<string> {
  return (await runGit(args, options)).output.toString('utf8').trim();
}
