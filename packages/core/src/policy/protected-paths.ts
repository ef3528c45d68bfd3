/**
 * Defines the places where a write becomes code that runs later, or changes what the agent
 * may do: repository internals, agents' own folders, CI workflows, shell start files, and
 * files of environment variables. Names are compared without case and on real paths too,
 * whether the file exists or not. This file only knows the places; the engine asks the
 * user about them.
 */

import { relative, resolve } from 'node:path';
import { globMatches } from './glob-matches.ts';
import { environmentFileLinkedBy, realPathOf } from './policy-disk.ts';
import { ENVIRONMENT_FILE } from '../util/environment-file.ts';
import { isInside } from '../util/is-inside.ts';

/** A folder of this name protects everything in it. */
export const FOLDERS: readonly string[] = [
  ...[
    '.git',
    '.gemini',
    '.claude',
    '.codex',
    '.castor',
    '.agents',
    '.cursor',
    '.vscode',
    '.idea',
    '.husky',
    '.githooks',
  ],
  ...['.circleci', '.buildkite', '.gitlab', '.ssh', '.gnupg', '.devcontainer', '.woodpecker', '.semaphore'],
  // The short name that Windows gives .git.
  'git~1',
];

const FOLDER_PATHS: readonly (readonly string[])[] = [
  ['.github', 'workflows'],
  ['.github', 'actions'],
  ['.config', 'fish'],
  ['.config', 'git'],
  ['.config', 'systemd'],
  ['.config', 'autostart'],
  ['.config', 'nvim'],
  ['library', 'launchagents'],
  ['etc', 'ld.so.preload'],
  ['etc', 'profile'],
  ['etc', 'bash.bashrc'],
  ['etc', 'init.d'],
  ['etc', 'systemd'],
  ['etc', 'cron.daily'],
  ['etc', 'sudoers.d'],
  ['etc', 'gemini-cli'],
  ['etc', 'profile.d'],
  ['etc', 'cron.d'],
];

export const FILES: readonly string[] = [
  ...[
    'agents.md',
    'gemini.md',
    'claude.md',
    '.bashrc',
    '.bash_profile',
    '.bash_login',
    '.bash_logout',
    '.bash_aliases',
  ],
  ...[
    '.profile',
    '.zshrc',
    '.zshenv',
    '.zprofile',
    '.zlogin',
    '.zlogout',
    '.kshrc',
    '.cshrc',
    '.tcshrc',
    '.login',
    '.inputrc',
  ],
  ...[
    '.envrc',
    '.gitconfig',
    '.gitmodules',
    '.mcp.json',
    '.gitlab-ci.yml',
    'jenkinsfile',
    '.npmrc',
    '.yarnrc',
    '.yarnrc.yml',
  ],
  ...['.pre-commit-config.yaml', 'lefthook.yml', '.lefthook.yml', 'authorized_keys', 'crontab', 'sudoers'],
  ...['.travis.yml', '.drone.yml', 'appveyor.yml', '.appveyor.yml', '.woodpecker.yml', 'azure-pipelines.yml'],
  ...['bitbucket-pipelines.yml', '.cursorrules', '.vimrc', '.pam_environment', '.xinitrc', '.xprofile', '.xsession'],
];

const FOLDER_SET = new Set(FOLDERS);
const FILE_SET = new Set(FILES);
const NAMES = [...FOLDERS, ...FILES];
const ALL_NAMES = [...NAMES, '.env', '.env.local'];
/** A name that folds to its lower case alone, as nearly all do. */
const PLAIN_NAME = /^[\w.+@-]*[\w+@-]$/;

export interface ProtectedPlaces {
  home: string;
  /** Our own folders in a protected place: below them only the rest of the path is checked. */
  exempt: readonly string[];
  /** Whether files of environment variables count: they hold secrets, and programs load settings from them. */
  environmentFiles: boolean;
}

/** The protected name that covers a path, or undefined. `from` is the base of relative paths. */
export function protectedPlaceOf(path: string, from: string, places: ProtectedPlaces): string | undefined {
  if (path === '' || path.length > 4096 || path.includes('\0') || path.includes('\n')) return undefined;
  const absolute = resolve(from, path.replace(/^~(?=\/|$)/, places.home));
  const written = placeIn(absolute, places);
  if (written !== undefined) return written;
  const real = realPathOf(absolute);
  const place = real === absolute ? undefined : placeIn(real, places);
  if (place !== undefined || !places.environmentFiles) return place;
  return environmentFileLinkedBy(real, places.home) === undefined ? undefined : '.env';
}

function placeIn(absolute: string, places: ProtectedPlaces): string | undefined {
  const base = places.exempt.find((directory) => isInside(absolute, directory));
  return placeInSegments((base === undefined ? absolute : relative(base, absolute)).split(/[/\\]/), places);
}

function placeInSegments(
  written: readonly string[],
  { environmentFiles }: Pick<ProtectedPlaces, 'environmentFiles'>,
): string | undefined {
  const segments = written.map(foldName);
  for (const [index, segment] of segments.entries()) {
    if (segment.startsWith('.') && hasGlob(segment)) {
      const name = (environmentFiles ? ALL_NAMES : NAMES).find((candidate) => globMatches(segment, candidate));
      if (name !== undefined) return name;
    }
    if (FOLDER_SET.has(segment)) return segment;
    const folder = FOLDER_PATHS.find((parts) => parts.every((part, offset) => segments[index + offset] === part));
    if (folder !== undefined) return folder.join('/');
  }
  const last = segments.at(-1) ?? '';
  const isProtected = FILE_SET.has(last) || (environmentFiles && ENVIRONMENT_FILE.test(last));
  return isProtected ? (written.at(-1) ?? last) : undefined;
}

/** Normalizes a name as case-folding, normalizing and Windows file systems do. */
function foldName(name: string): string {
  if (PLAIN_NAME.test(name)) return name.toLowerCase();
  return (
    name
      .normalize('NFKC')
      // HFS+ ignores these characters, and NTFS names a stream of the same file after a colon.
      .replaceAll(/\p{Default_Ignorable_Code_Point}|(?<=.):+\$.*$/gu, '')
      .replace(/[. ]+$/, (tail) => (tail === name ? name : ''))
      .toLowerCase()
  );
}

/** Whether a name is a pattern. */
export function hasGlob(segment: string): boolean {
  return /[*?[]/.test(segment);
}

/** Whether a rule, as written, names this place itself: `.gitignore` does not name `.git`. */
export function spellsPlace(written: string, place: string): boolean {
  const text = written.replaceAll(/\\(.)/g, '$1').toLowerCase();
  const name = place.toLowerCase();
  for (let at = text.indexOf(name); at >= 0; at = text.indexOf(name, at + 1)) {
    if (!/[\w.-]/.test(text.charAt(at - 1)) && !/[\w-]/.test(text.charAt(at + name.length))) return true;
  }
  return false;
}

/** String arguments that may be paths, wherever an external tool keeps them. */
export function pathArguments(args: unknown, depth = 0): string[] {
  if (typeof args === 'string') return args.length <= 4096 && !args.includes('\n') ? [args] : [];
  if (depth > 6 || typeof args !== 'object' || args === null) return [];
  return Object.values(args).flatMap((value) => pathArguments(value, depth + 1));
}
