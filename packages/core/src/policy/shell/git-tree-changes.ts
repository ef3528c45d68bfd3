/**
 * Reads a git command that changes files of the work tree without naming them, and states
 * which questions to git show whether files of environment variables are among them.
 */

import type { GitQuery } from '../git-queries.ts';
import { readGit } from './git-command.ts';
import type { ShellWord } from './shell-word.ts';

/** Undefined: it changes no unnamed file. No queries: git cannot tell before it runs. */
export interface TreeChange {
  word: string;
  queries?: readonly GitQuery[] | undefined;
  /** Operands that may be plain files, which the command then names. */
  paths?: readonly ShellWord[] | undefined;
  /** Whether a patch decides: its files are the operands. */
  patches?: readonly ShellWord[] | undefined;
  /** The folder of its own that it fills. */
  fills?: ShellWord | undefined;
  /** Names the place of the names, and how to see them. */
  where?: string | undefined;
}

const TRACKED: GitQuery = { kind: 'tracked' };

export function readTreeChange(words: readonly ShellWord[]): TreeChange | undefined {
  const { subcommand, rest } = readGit(words);
  const read = Object.hasOwn(READERS, subcommand) ? READERS[subcommand] : undefined;
  const change = read?.(new Arguments(rest));
  if (change === undefined) return undefined;
  if (rest.some(({ kind }) => kind === 'dynamic')) return { word: subcommand };
  return { word: subcommand, ...change };
}

type Change = Omit<TreeChange, 'word'>;

/** The options and operands after a subcommand. */
class Arguments {
  readonly revisions: readonly ShellWord[];
  readonly paths: readonly ShellWord[];
  private readonly before: readonly ShellWord[];
  private readonly options: readonly string[];

  constructor(rest: readonly ShellWord[]) {
    const end = rest.findIndex(({ value }) => value === '--');
    const before = end < 0 ? rest : rest.slice(0, end);
    this.before = before;
    this.options = before.map(({ value }) => value).filter((value) => /^-./.test(value));
    this.revisions = before.filter(({ value }) => !/^-./.test(value));
    this.paths = end < 0 ? [] : rest.slice(end + 1);
  }

  has(letter: string, ...names: readonly string[]): boolean {
    return this.options.some((option) =>
      option.startsWith('--')
        ? names.includes(option.split('=', 1)[0] ?? '')
        : letter !== '' && option.slice(1).includes(letter),
    );
  }

  valueOf(name: string): string | undefined {
    return this.options.find((option) => option.startsWith(`${name}=`))?.slice(name.length + 1);
  }

  /** The words that are neither options nor the values of those that take one. */
  operands(takesValue: RegExp): ShellWord[] {
    const named = this.before.filter(
      ({ value }, index) => !/^-./.test(value) && !takesValue.test(this.before[index - 1]?.value ?? ''),
    );
    return [...named, ...this.paths];
  }

  /** Queries for each revision; for the given one where none is named. */
  differences(missing?: string): GitQuery[] {
    const named = this.revisions.map(({ value }) => value);
    const revisions = named.length === 0 && missing !== undefined ? [missing] : named;
    return revisions.map((revision) => ({ kind: 'difference', revision }));
  }
}

const READERS: Readonly<Record<string, (given: Arguments) => Change | undefined>> = {
  checkout: readCheckout,
  switch: readCheckout,
  restore: (given) => {
    if (given.has('S', '--staged') && !given.has('W', '--worktree')) return undefined;
    const source = given.valueOf('--source');
    if (given.has('s', '--source') && source === undefined) return { queries: [{ kind: 'history' }] };
    const differences: GitQuery[] = source === undefined ? [] : [{ kind: 'difference', revision: source }];
    return { queries: [TRACKED, ...differences], paths: [...given.revisions, ...given.paths] };
  },
  reset: (given) =>
    given.has('', '--hard', '--merge', '--keep') ? { queries: [TRACKED, ...given.differences('HEAD')] } : undefined,
  'read-tree': (given) => (given.has('u') ? { queries: [TRACKED, ...given.differences()] } : undefined),
  'checkout-index': (given) => ({ queries: [TRACKED], paths: given.paths }),
  'sparse-checkout': () => ({ queries: [TRACKED] }),
  stash: readStash,
  clean: (given) =>
    given.has('n', '--dry-run')
      ? undefined
      : { queries: [{ kind: 'untracked', ignored: given.has('x') || given.has('X') }] },
  merge: readMerge,
  rebase: readMerge,
  'cherry-pick': readCommits,
  revert: readCommits,
  bisect: () => ({ queries: [{ kind: 'history' }] }),
  rm: (given) =>
    given.has('n', '--dry-run', '--cached')
      ? undefined
      : { queries: [TRACKED], paths: [...given.revisions, ...given.paths] },
  apply: (given) => {
    const shows = given.has('', '--check', '--stat', '--numstat', '--summary') && !given.has('', '--apply');
    return shows || given.has('', '--cached') ? undefined : { patches: given.revisions };
  },
  am: (given) =>
    given.has('', '--abort', '--skip', '--continue', '--quit') ? { queries: [TRACKED] } : { patches: given.revisions },
  pull: () => ({ where: PULLED }),
  clone: (given) =>
    given.has('n', '--no-checkout', '--bare', '--mirror') ? undefined : readFolder(given.operands(CLONE_VALUES), 1),
  worktree: (given) => {
    const [action, ...operands] = given.operands(/^(?:-[bB]|--reason)$/);
    return action?.value === 'add' ? readFolder(operands, 0) : undefined;
  },
  submodule: (given) => {
    const action = given.revisions.find(({ value }) => /^(?:add|update)$/.test(value))?.value;
    if (action === undefined) return undefined;
    const isForeseen = action === 'update' && !given.has('', '--remote');
    return isForeseen ? { queries: [{ kind: 'submodules' }], where: SUBMODULES } : { where: SUBMODULES };
  },
  subtree: ({ revisions: [action] }) => (/^(?:add|pull|merge)$/.test(action?.value ?? '') ? {} : undefined),
  lfs: ({ revisions: [action] }) =>
    /^(?:pull|checkout)$/.test(action?.value ?? '') ? { queries: [TRACKED] } : undefined,
  'filter-branch': () => ({ queries: [{ kind: 'history' }] }),
  svn: ({ revisions: [action] }) => (/^(?:clone|rebase)$/.test(action?.value ?? '') ? {} : undefined),
  p4: ({ revisions: [action] }) => (/^(?:clone|sync|rebase)$/.test(action?.value ?? '') ? {} : undefined),
};

const PULLED =
  'what the remote sends. Run `git fetch`, then `git merge @{upstream}` as a command of its own, which shows them';
const SUBMODULES = 'the commits of the submodules';
const CLONE_VALUES =
  /^(?:-[bcjou]|--(?:branch|config|depth|filter|jobs|origin|reference|reference-if-able|revision|separate-git-dir|server-option|shallow-exclude|shallow-since|template|upload-pack|bundle-uri|ref-format))$/;

/** Without a name the folder is a new one below the line's own. */
function readFolder(operands: readonly ShellWord[], at: number): Change | undefined {
  const fills = operands[at];
  return fills === undefined ? undefined : { fills };
}

function readCheckout(given: Arguments): Change | undefined {
  const { revisions, paths } = given;
  const creates = given.has('', '--create', '--orphan') || given.has('b') || given.has('B') || given.has('c', '-C');
  const queries = given.differences().slice(creates ? 1 : 0);
  if (paths.length > 0) return { queries: [TRACKED, ...queries], paths: revisions.length > 0 ? [] : paths };
  const forced: GitQuery[] = given.has('f', '--force', '--discard-changes') ? [TRACKED] : [];
  // Several operands are a revision and paths, or paths only.
  const several: GitQuery[] = !creates && revisions.length > 1 ? [TRACKED] : [];
  const all = [...queries, ...forced, ...several];
  return all.length === 0 ? undefined : { queries: all, paths: creates ? [] : revisions };
}

function readStash(given: Arguments): Change | undefined {
  const [action, stash] = given.revisions.map(({ value }) => value);
  switch (action) {
    case 'pop':
    case 'apply':
    case 'branch': {
      const revision = (action === 'branch' ? given.revisions[2]?.value : stash) ?? 'stash@{0}';
      const name = /^\d+$/.test(revision) ? `stash@{${revision}}` : revision;
      // The third parent, if any, holds untracked files.
      return {
        queries: [
          { kind: 'difference', revision: name },
          { kind: 'commits', range: `${name}^@` },
        ],
      };
    }
    case undefined:
    case 'push':
    case 'save': {
      const includes = given.has('u', '--include-untracked') || given.has('a', '--all');
      const ignored = given.has('a', '--all');
      return { queries: includes ? [TRACKED, { kind: 'untracked', ignored }] : [TRACKED] };
    }
    default:
      return undefined;
  }
}

function readMerge(given: Arguments): Change {
  if (given.has('', '--abort', '--continue', '--skip', '--quit')) return { queries: [TRACKED] };
  return { queries: given.differences('@{upstream}') };
}

function readCommits(given: Arguments): Change | undefined {
  if (given.has('', '--abort', '--continue', '--skip', '--quit')) return { queries: [TRACKED] };
  const queries = given.revisions.map(({ value }): GitQuery => ({ kind: 'commits', range: value }));
  return queries.length === 0 ? undefined : { queries };
}
