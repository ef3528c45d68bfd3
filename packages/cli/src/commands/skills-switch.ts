/** `castor skills enable` and `disable`: edit the list of disabled skills in the settings. */

import { loadConfiguration, saveSetting, userSettingsPath, workspaceSettingsPath } from '@castor/core/program';
import type { StartContext } from '../start/start.ts';
import type { FileScope } from './parse-words.ts';

type Folder = Pick<StartContext, 'cwd' | 'home' | 'environment'>;

/** Where a skill is disabled: the settings of a folder that is not trusted are not read. */
export function defaultScope(isTrusted: boolean): FileScope {
  return isTrusted ? 'workspace' : 'user';
}

/** Returns a sentence. Throws a SettingsError. */
export function switchSkill(what: 'enable' | 'disable', name: string, scope: FileScope, folder: Folder): string {
  return what === 'enable' ? enable(name, folder) : disable(name, scope, folder);
}

/** In both files, since either may disable it. */
function enable(name: string, folder: Folder): string {
  const scopes = (['user', 'workspace'] as const).filter((scope) => readDisabled(scope, folder).some(isNamed(name)));
  if (scopes.length === 0) return `Skill "${name}" is already enabled.`;
  for (const scope of scopes) {
    const others = readDisabled(scope, folder).filter((one) => !isNamed(name)(one));
    saveSetting(pathOf(scope, folder), 'skills.disabled', others);
  }
  const places = scopes.map((scope) => `${scope} (${pathOf(scope, folder)})`).join(' and ');
  return `Skill "${name}" enabled by removing it from the disabled list in ${places} settings.`;
}

function disable(name: string, scope: FileScope, folder: Folder): string {
  const path = pathOf(scope, folder);
  const before = readDisabled(scope, folder);
  if (before.some(isNamed(name))) return `Skill "${name}" is already disabled in ${scope} (${path}) settings.`;
  saveSetting(path, 'skills.disabled', [...before, name]);
  return `Skill "${name}" disabled by adding it to the disabled list in ${scope} (${path}) settings.`;
}

function isNamed(name: string): (other: string) => boolean {
  return (other) => other.toLowerCase() === name.toLowerCase();
}

function pathOf(scope: FileScope, { cwd, home }: Folder): string {
  return scope === 'user' ? userSettingsPath(home) : workspaceSettingsPath(cwd);
}

/** As written in the file; reading runs nothing of the folder. */
function readDisabled(scope: FileScope, folder: Folder): string[] {
  const { home, cwd, environment } = folder;
  const path = pathOf(scope, folder);
  const { layers } = loadConfiguration({ home, cwd, environment, platform: process.platform, isTrusted: true });
  const skills = layers.find((layer) => layer.path === path)?.raw['skills'] as { disabled?: unknown } | undefined;
  return Array.isArray(skills?.disabled) ? skills.disabled.filter((one) => typeof one === 'string') : [];
}
