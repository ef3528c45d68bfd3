/** `castor hooks enable`, `disable` and `trust`: record which hooks may run, in the file that decides it. */

import {
  consentToHooks,
  loadConfiguration,
  saveSetting,
  userSettingsPath,
  workspaceSettingsPath,
} from '@castor/core/program';
import { ExitCode } from '../exit-codes.ts';
import { findHooks } from './find-hooks.ts';
import type { FoundHooks, HookFolder } from './find-hooks.ts';
import type { SubcommandContext } from './subcommand-context.ts';
import type { HooksOptions } from './hooks-options.ts';

export type Switch = 'enable' | 'disable';

export async function switchHooks(
  what: Switch,
  found: FoundHooks,
  { operands: [name = ''], scope = 'user' }: HooksOptions,
  context: SubcommandContext,
): Promise<ExitCode> {
  const { output, cwd, home } = context;
  const path = scope === 'user' ? userSettingsPath(home) : workspaceSettingsPath(cwd);
  const isKnown = found.hooks.some((hook) => hook.name === name);
  if (!isKnown && !readDisabled(path, context).includes(name)) {
    output.note(`castor: unknown hook "${name}". To list the hooks: castor hooks list`);
    return ExitCode.Failure;
  }
  writeSwitch(what, [name], path, context);
  await output.answer(`${name} is ${what}d in ${path}.\n`);
  const isForeign = found.hooks.some((hook) => hook.name === name && hook.source !== 'project');
  if (scope === 'workspace' && isForeign) {
    output.note('castor: warning: a project can switch only its own hooks. For this one: --scope user');
  } else if (what === 'enable' && (await findStillOff([name], context)).length > 0)
    output.note(`castor: warning: ${STILL_OFF}`);
  return ExitCode.Success;
}

export const STILL_OFF =
  'hooksConfig in another file still disables it, or all hooks. To see where: castor config explain hooksConfig.disabled';

/** Adds names to the list of disabled hooks, or removes them. Throws a SettingsError. */
export function writeSwitch(what: Switch, names: readonly string[], path: string, folder: HookFolder): void {
  const before = readDisabled(path, folder);
  const others = before.filter((name) => !names.includes(name));
  const added = names.filter((name) => !before.includes(name));
  const after = what === 'disable' ? [...before, ...added] : others;
  if (after.length !== before.length) saveSetting(path, 'hooksConfig.disabled', after);
}

/** Those of the hooks that the merged files still disable. */
export async function findStillOff(names: readonly string[], folder: HookFolder): Promise<string[]> {
  const { hooks } = await findHooks(folder);
  return names.filter((name) => hooks.some((hook) => hook.name === name && hook.isDisabled));
}

export async function trustHooks({ hooks, isTrusted }: FoundHooks, context: SubcommandContext): Promise<ExitCode> {
  const { output, cwd, home } = context;
  const ofProject = hooks.filter(({ source }) => source === 'project');
  if (!isTrusted) {
    output.note('castor: this folder is not trusted, so none of its hooks run. Trust the folder first.');
    return ExitCode.Untrusted;
  }
  consentToHooks({ root: cwd, home }, ofProject);
  if (ofProject.length === 0) {
    await output.answer('This project has no hooks. Hooks added later need another consent.\n');
    return ExitCode.Success;
  }
  const lines = ofProject.map(({ event, name, command }) =>
    name === command ? `  ${event}: ${command}` : `  ${event} ${name}: ${command}`,
  );
  await output.answer(`Castor now runs these hooks in their current form:\n${lines.join('\n')}\n`);
  return ExitCode.Success;
}

/** As written in the file; reading runs nothing of the folder. */
function readDisabled(path: string, { cwd, home, environment }: HookFolder): string[] {
  const { layers } = loadConfiguration({ home, cwd, environment, platform: process.platform, isTrusted: true });
  const config = layers.find((layer) => layer.path === path)?.raw['hooksConfig'] as { disabled?: unknown } | undefined;
  const { disabled } = config ?? {};
  return Array.isArray(disabled) ? disabled.filter((name) => typeof name === 'string') : [];
}
