/** `castor hooks enable`, `disable` and `trust`: what may run, written into the file that says so. */

import { consentToHooks, loadConfiguration, saveSetting, userSettingsPath, workspaceSettingsPath } from '@castor/core';
import { ExitCode } from '../exit-codes.ts';
import type { FoundHooks, HooksContext, HooksOptions } from './hooks.ts';

export async function switchHooks(
  what: 'enable' | 'disable',
  { hooks }: FoundHooks,
  { operands: [name = ''], scope = 'user' }: HooksOptions,
  context: HooksContext,
): Promise<ExitCode> {
  const { output, cwd, home } = context;
  const path = scope === 'user' ? userSettingsPath(home) : workspaceSettingsPath(cwd);
  const before = readDisabled(path, context);
  const after = before.filter((other) => other !== name);
  if (what === 'disable') after.push(name);
  const isKnown = hooks.some((hook) => hook.name === name);
  if (!isKnown && !before.includes(name)) {
    output.note(`castor: there is no hook named "${name}" here. Those there are: castor hooks list`);
    return ExitCode.Failure;
  }
  saveSetting(path, 'hooksConfig.disabled', after);
  await output.answer(`${name} is ${what}d in ${path}.\n`);
  const isForeign = hooks.some((hook) => hook.name === name && hook.source !== 'project');
  if (scope === 'workspace' && isForeign) {
    output.note('castor: warning: a folder can switch only its own hooks. For this one: --scope user');
  }
  return ExitCode.Success;
}

export async function trustHooks({ hooks, isTrusted }: FoundHooks, context: HooksContext): Promise<ExitCode> {
  const { output, cwd, home } = context;
  const ofProject = hooks.filter(({ source }) => source === 'project');
  if (!isTrusted) {
    output.note('castor: this folder is not trusted, so none of its hooks run. Trust the folder first.');
    return ExitCode.Untrusted;
  }
  if (ofProject.length === 0) {
    await output.answer('This project has no hooks.\n');
    return ExitCode.Success;
  }
  consentToHooks({ root: cwd, home }, ofProject);
  const lines = ofProject.map(({ event, name, command }) =>
    name === command ? `  ${event}: ${command}` : `  ${event} ${name}: ${command}`,
  );
  await output.answer(`From now on these hooks run as they are now:\n${lines.join('\n')}\n`);
  return ExitCode.Success;
}

/** As the file has it; nothing of the folder runs by being read. */
function readDisabled(path: string, { cwd, home, environment }: HooksContext): string[] {
  const { layers } = loadConfiguration({ home, cwd, environment, platform: process.platform, isTrusted: true });
  const config = layers.find((layer) => layer.path === path)?.raw['hooksConfig'] as { disabled?: unknown } | undefined;
  const { disabled } = config ?? {};
  return Array.isArray(disabled) ? disabled.filter((name) => typeof name === 'string') : [];
}
