/** A workspace with a git repository, and `castor batch` in it. */

import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createWorkspace, runCli, startCli } from '@castor/testkit';
import type { CliOptions, CliProcess, CliResult, Workspace } from '@castor/testkit';

export interface TaskLine {
  id: string;
  status: string;
  [field: string]: unknown;
}

export interface BatchPlace extends AsyncDisposable {
  workspace: Workspace;
  state: string;
  run(args: readonly string[], options?: CliOptions): Promise<CliResult & { lines: TaskLine[] }>;
  start(args: readonly string[], options?: CliOptions): Promise<CliProcess>;
  git(...args: string[]): string;
  /** Names of worktrees besides the user's own, and of folders of tasks that are still there. */
  left(): string[];
}

export async function openBatchPlace(files: Record<string, string> = { 'a.txt': 'a\n' }): Promise<BatchPlace> {
  const workspace = await createWorkspace({ files });
  const { project, home } = workspace;
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=n', '-c', 'user.email=e@x', '-c', 'init.defaultBranch=main', ...args], {
      cwd: project,
      encoding: 'utf8',
      env: { PATH: process.env['PATH'], HOME: home },
    });
  git('init', '--quiet');
  git('add', '--all');
  git('commit', '--quiet', '--message', 'first');
  const state = join(home, '.local', 'state', 'castor', 'batch');
  const words = (args: readonly string[]) => ['batch', ...args];
  return {
    workspace,
    state,
    git,
    async run(args, options = {}) {
      const result = await runCli(words(args), { workspace, ...options });
      const lines = result.stdout.split('\n').filter((line) => line.startsWith('{"'));
      return { ...result, lines: lines.map((line) => JSON.parse(line) as TaskLine) };
    },
    start: (args, options = {}) => startCli(words(args), { workspace, ...options }),
    left() {
      const worktrees = git('worktree', 'list', '--porcelain').match(/^worktree .*/gm) ?? [];
      const batches = existsSync(state) ? readdirSync(state, { withFileTypes: true }) : [];
      const work = batches.filter((each) => each.isDirectory()).map(({ name }) => join(state, name, 'work'));
      const folders = work.flatMap((path) => (existsSync(path) ? readdirSync(path) : []));
      return [...worktrees.slice(1), ...folders];
    },
    async [Symbol.asyncDispose]() {
      await workspace.dispose();
    },
  };
}

export function read(path: unknown): string {
  return readFileSync(String(path), 'utf8');
}

export const jsonl = (tasks: readonly object[]): string => tasks.map((task) => `${JSON.stringify(task)}\n`).join('');
