/**
 * Asks git which files of environment variables a revision, the index or the history
 * contains. The questions run no program that a repository configures and change nothing.
 */

import { execFile } from 'node:child_process';
import { join } from 'node:path';

/** What a git command may write; the answers are about the folder in which it runs. */
export type GitQuery =
  /** Files in which a revision differs from HEAD. */
  | { kind: 'difference'; revision: string }
  /** Files that commits change. */
  | { kind: 'commits'; range: string }
  /** Files in the index. */
  | { kind: 'tracked' }
  /** Files outside the index; ignored ones only if asked for. */
  | { kind: 'untracked'; ignored: boolean }
  /** Files of any commit. */
  | { kind: 'history' }
  /** Files in which the recorded commits of submodules differ from what is checked out there. */
  | { kind: 'submodules' };

/** Where git runs; its user configuration names the repositories of others that it may open. */
export interface GitPlace {
  directory: string;
  home: string;
}

const SAFE = [
  ...['-c', 'core.fsmonitor=false', '-c', 'core.hooksPath=/dev/null', '-c', 'protocol.allow=never'],
  ...['-c', 'log.showSignature=false', '--no-optional-locks', '--no-pager'],
];
const FILES = ['--', ':(glob,icase,top)**/.env*'];
/** Fixed, so that a folder of the workspace never provides the program. */
const PATH = '/usr/local/bin:/opt/homebrew/bin:/usr/bin:/bin';
const TIMEOUT_MS = 5000;
const NO_REPOSITORY = /not a git repository/i;

/** Whether the answer names a file; `unknown` when git cannot answer. */
export async function askGit(query: GitQuery, place: GitPlace): Promise<'none' | 'some' | 'unknown'> {
  if (query.kind === 'difference') return askDifference(query.revision, place);
  if (query.kind === 'submodules') return askSubmodules(place);
  return summarize(await run(place, questionOf(query)));
}

function questionOf(query: Exclude<GitQuery, { kind: 'difference' | 'submodules' }>): string[] {
  switch (query.kind) {
    case 'commits': {
      const walk = query.range.includes('..') ? [] : ['--no-walk'];
      return ['log', ...walk, '-m', '--format=', '--name-only', '--end-of-options', query.range, ...FILES];
    }
    case 'tracked':
      return ['ls-files', ...FILES];
    case 'untracked':
      return ['ls-files', '--others', ...(query.ignored ? [] : ['--exclude-standard']), ...FILES];
    case 'history':
      return ['log', '--all', '-m', '--format=', '--name-only', ...FILES];
  }
}

async function askDifference(revision: string, place: GitPlace): Promise<'none' | 'some' | 'unknown'> {
  const trees = await treesOf(revision === '-' ? '@{-1}' : revision, place);
  if (typeof trees === 'string') return trees;
  const head = await run(place, ['rev-parse', '--verify', '--quiet', 'HEAD^{tree}']);
  for (const tree of trees) {
    const question = head.ok
      ? ['diff-tree', '-r', '--name-only', head.output.trim(), tree, ...FILES]
      : ['ls-tree', '-r', '--name-only', '--full-tree', tree];
    const answer = summarize(await run(place, question));
    if (answer !== 'none') return answer;
  }
  return 'none';
}

const MAX_SUBMODULES = 20;

/** Unknown while a submodule, or one inside it, is not checked out or lacks the recorded commit. */
async function askSubmodules(place: GitPlace, depth = 0): Promise<'none' | 'some' | 'unknown'> {
  const [top, listed] = await Promise.all([
    run(place, ['rev-parse', '--show-toplevel']),
    run(place, ['ls-files', '--stage', '--full-name', '-z', '--', ':(top)']),
  ]);
  if (!top.ok || !listed.ok) return NO_REPOSITORY.test(top.error) ? 'none' : 'unknown';
  const links = listed.output.split('\0').flatMap((line) => /^160000 (\w+) \d\t(.+)$/s.exec(line) ?? []);
  if (links.length === 0) return 'none';
  if (links.length > MAX_SUBMODULES * 3 || depth > 3) return 'unknown';
  for (let index = 0; index < links.length; index += 3) {
    const directory = join(top.output.trim(), links[index + 2] ?? '');
    const inside = { ...place, directory };
    const own = await run(inside, ['rev-parse', '--show-toplevel']);
    if (!own.ok || own.output.trim() !== directory) return 'unknown';
    const commit = await run(inside, ['cat-file', '-e', `${links[index + 1] ?? ''}^{tree}`]);
    if (!commit.ok) return 'unknown';
    for (const answer of [await askDifference(links[index + 1] ?? '', inside), await askSubmodules(inside, depth + 1)])
      if (answer !== 'none') return answer;
  }
  return 'none';
}

/** A name that is not a revision yet may become the branch of a remote, or be a path of the index. */
async function treesOf(revision: string, place: GitPlace): Promise<string[] | 'none' | 'some' | 'unknown'> {
  const own = await run(place, ['rev-parse', '--verify', '--quiet', '--end-of-options', `${revision}^{tree}`]);
  if (own.ok) return [own.output.trim()];
  if (NO_REPOSITORY.test(own.error)) return 'none';
  if (!/^[\w./@{}^~-]+$/.test(revision)) return 'unknown';
  const pattern = `refs/remotes/*/${revision}`;
  const remote = await run(place, ['for-each-ref', '--format=%(objectname)^{tree}', pattern]);
  if (remote.ok && remote.output.trim() !== '') return remote.output.trim().split('\n');
  return askGit({ kind: 'tracked' }, place);
}

interface Answer {
  ok: boolean;
  output: string;
  error: string;
}

function summarize({ ok, output, error }: Answer): 'none' | 'some' | 'unknown' {
  if (!ok) return NO_REPOSITORY.test(error) ? 'none' : 'unknown';
  return output.split('\n').some((path) => ENVIRONMENT_PATH.test(path)) ? 'some' : 'none';
}

/** Git quotes a path with unusual characters. */
const ENVIRONMENT_PATH = /(?:^|\/|")\.env(?!\.(?:example|sample|template)"?$)[^/]*$/i;

async function run({ directory, home }: GitPlace, question: readonly string[]): Promise<Answer> {
  return new Promise((resolve) => {
    const options = {
      cwd: directory,
      timeout: TIMEOUT_MS,
      maxBuffer: 8_000_000,
      env: { HOME: home, PATH, LC_ALL: 'C', GIT_TERMINAL_PROMPT: '0', GIT_NO_LAZY_FETCH: '1' },
    };
    execFile('git', [...SAFE, ...question], options, (error, output, text) => {
      resolve({ ok: error === null, output, error: error === null ? '' : `${error.message}\n${text}` });
    });
  });
}
