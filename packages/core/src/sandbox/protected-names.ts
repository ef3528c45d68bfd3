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
  '.zed',
  '.cursor',
  '.exrc',
  '.nvim.lua',
  '.devcontainer',
  '.envrc',
  '.claude',
  '.codex',
  '.mcp.json',
  '.gitmodules',
  '.hg/hgrc',
  'GEMINI.md',
  'AGENTS.md',
  'CLAUDE.md',
];

/** Relative to a repository's own folder `.git`. */
export const PROTECTED_IN_GIT: readonly string[] = [
  'hooks',
  'config',
  'config.worktree',
  'info/attributes',
  'commondir',
];

/** Relative to the folder of a worktree inside `.git`: where its repository is, and its own settings. */
export const PROTECTED_IN_WORKTREE: readonly string[] = ['commondir', 'config.worktree'];

/** Relative to the home folder, where the workspace contains it: what shells, desktops, git and editors load. */
export const PROTECTED_IN_HOME: readonly string[] = [
  ...['.bashrc', '.bash_profile', '.bash_login', '.bash_logout', '.bash_aliases', '.profile', '.inputrc', '.envrc'],
  ...['.zshrc', '.zshenv', '.zprofile', '.zlogin', '.config/fish', '.xprofile', '.xinitrc', '.xsession', '.xsessionrc'],
  ...['.pam_environment', '.config/autostart', '.config/systemd', '.config/environment.d', '.local/share/systemd'],
  ...['.gitconfig', '.config/git', '.hgrc', '.vimrc', '.vim', '.config/nvim', '.emacs', '.emacs.d', '.config/Code'],
  ...[
    '.tmux.conf',
    '.config/tmux',
    '.local/bin',
    'bin',
    '.cargo/bin',
    '.cargo/config.toml',
    '.local/share/applications',
  ],
];

/** The parts of a repository's common folder that a worktree with a branch has to write. */
export const WRITTEN_BY_WORKTREES: readonly string[] = ['objects', 'refs', 'logs'];

/** The same for a worktree without a branch: its HEAD and the log of it are in its own folder. */
export const WRITTEN_BY_BORROWERS: readonly string[] = ['objects'];
