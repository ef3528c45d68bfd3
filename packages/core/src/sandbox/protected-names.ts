/**
 * What a command may not change inside the workspace, because another program would run it later: hooks and settings of
 * git, of Castor, of editors and of continuous integration, and the instructions of agents. Pure: names only.
 */

/** Relative to the workspace. */
export const PROTECTED_NAMES: readonly string[] = [
  '.gemini',
  '.husky',
  '.github/workflows',
  '.github/actions',
  '.gitlab-ci.yml',
  '.circleci',
  '.vscode',
  '.idea',
  '.devcontainer',
  '.envrc',
  '.claude',
  '.mcp.json',
  '.gitmodules',
  'GEMINI.md',
  'AGENTS.md',
  'CLAUDE.md',
];

/** Relative to a repository's own folder `.git`. */
export const PROTECTED_IN_GIT: readonly string[] = ['hooks', 'config', 'config.worktree', 'info/attributes'];

/** The parts of a repository's common folder that a worktree of it has to write. */
export const WRITTEN_BY_WORKTREES: readonly string[] = ['objects', 'refs', 'logs'];
