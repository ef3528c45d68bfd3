/** Computes the paths of files and folders on disk. Pure: the caller passes the home folder. */

import { basename, dirname, join } from 'node:path';

/** The user's own folder, shared with Gemini CLI. */
export function userDirectory(home: string): string {
  return join(home, '.gemini');
}

/** The folder of a project's own commands, settings and context for its agent. */
export function projectDirectory(root: string): string {
  return join(root, '.gemini');
}

/** Temporary files of one project: long outputs, logs, plans. */
export function projectTempDirectory(home: string, root: string): string {
  return join(userDirectory(home), 'tmp', `${toSlug(basename(root))}-${shortHash(root)}`);
}

function toSlug(name: string): string {
  const slug = name.toLowerCase().replace(/[^a-z0-9]+/g, '-');
  return slug.replace(/^-+|-+$/g, '') || 'project';
}

/** FNV-1a: distinguishes projects of the same name, without loading a crypto module at start. */
function shortHash(text: string): string {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  }
  return (hash >>> 0).toString(16).padStart(8, '0');
}

export function backgroundLogDirectory(home: string): string {
  return join(userDirectory(home), 'tmp', 'background-processes');
}

/** The log of decisions and connections. */
export function auditDirectory(home: string): string {
  return join(userDirectory(home), 'audit');
}

/** The key and the head of that log, apart from it. */
export function auditStateDirectory(home: string): string {
  return join(userDirectory(home), 'audit-state');
}

export function userSettingsPath(home: string): string {
  return join(userDirectory(home), 'settings.json');
}

export function workspaceSettingsPath(cwd: string): string {
  return join(projectDirectory(cwd), 'settings.json');
}

const SYSTEM_DIRECTORIES: Readonly<Partial<Record<NodeJS.Platform, string>>> = {
  darwin: '/Library/Application Support/GeminiCli',
  win32: 'C:\\ProgramData\\gemini-cli',
};

/** The administrator's folder. */
export function systemDirectory(platform: NodeJS.Platform): string {
  return SYSTEM_DIRECTORIES[platform] ?? '/etc/gemini-cli';
}

export interface SystemPath {
  path: string;
  /** The user names it with a variable. */
  isChosen: boolean;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** The administrator's settings, which win over all others. */
export function systemSettingsPath(platform: NodeJS.Platform, environment: Environment): SystemPath {
  const chosen = environment['GEMINI_CLI_SYSTEM_SETTINGS_PATH'];
  if (chosen) return { path: chosen, isChosen: true };
  return { path: `${systemDirectory(platform)}/settings.json`, isChosen: false };
}

/** The administrator's defaults, which the user may change. */
export function systemDefaultsPath(platform: NodeJS.Platform, environment: Environment): SystemPath {
  const chosen = environment['GEMINI_CLI_SYSTEM_DEFAULTS_PATH'];
  if (chosen) return { path: chosen, isChosen: true };
  const beside = systemSettingsPath(platform, environment);
  return { ...beside, path: join(dirname(beside.path), 'system-defaults.json') };
}
