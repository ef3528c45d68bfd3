/**
 * Assembles the one table of settings. The type of the settings, their defaults, merging and
 * validation, the page docs/settings.md, the JSON schema and `castor config` are all derived
 * from it; no other file lists keys.
 */

import { flag, isDefinition, texts, text } from './define-setting.ts';
import type { SettingDefinition, SettingGroup, SettingValues } from './define-setting.ts';
import { advanced, billing, general, ide, output, privacy, telemetry } from './table/general.ts';
import { agents, context, contextManagement, model, modelConfigs } from './table/model.ts';
import { noEffectOf } from './table/no-effect.ts';
import type { NoEffect } from './table/no-effect.ts';
import { castor, providers } from './table/providers.ts';
import { admin, experimental, security } from './table/security.ts';
import { extensions, hooks, hooksConfig, mcp, mcpServers, skills, tools } from './table/tools.ts';
import { ui } from './table/ui.ts';

export const SETTINGS_TABLE = {
  $schema: text('The JSON schema of this file, for editors.'),
  mcpServers,
  policyPaths: texts([], 'Policy files or folders that replace your own folder.', {
    merge: 'union',
    project: 'never',
  }),
  adminPolicyPaths: texts([], 'Additional policy files or folders of the administrator.', {
    merge: 'union',
    project: 'never',
  }),
  useWriteTodos: flag(true, 'Offers the todo list tool to the model.'),
  general,
  output,
  ui,
  ide,
  privacy,
  telemetry,
  billing,
  model,
  castor,
  providers,
  modelConfigs,
  agents,
  context,
  tools,
  mcp,
  security,
  advanced,
  experimental,
  extensions,
  skills,
  hooksConfig,
  hooks,
  contextManagement,
  admin,
};

/** Every setting, with its default where no file sets it. */
export type Settings = SettingValues<typeof SETTINGS_TABLE>;

export interface NamedSetting {
  key: string;
  path: readonly string[];
  definition: SettingDefinition<unknown>;
  /** Why the setting has no effect; absent where it has one. */
  noEffect?: NoEffect;
}

/** All settings in the order of the table. */
export function listSettings(): NamedSetting[] {
  return [...walk(SETTINGS_TABLE, [])];
}

function* walk(group: SettingGroup, path: readonly string[]): Generator<NamedSetting> {
  for (const [name, entry] of Object.entries(group)) {
    const inner = [...path, name];
    if (isDefinition(entry)) {
      const key = inner.join('.');
      const noEffect = noEffectOf(key);
      yield { key, path: inner, definition: entry, ...(noEffect !== undefined && { noEffect }) };
    } else yield* walk(entry, inner);
  }
}

export interface FoundSetting extends NamedSetting {
  /** The path below the setting, for a key inside an object such as `mcpServers.files.command`. */
  rest: readonly string[];
}

/** The setting that a key names or is part of. */
export function findSetting(path: readonly string[]): FoundSetting | undefined {
  let entry: SettingGroup | SettingDefinition<unknown> = SETTINGS_TABLE;
  for (const [index, name] of path.entries()) {
    const next: SettingGroup | SettingDefinition<unknown> | undefined = Object.hasOwn(entry, name)
      ? entry[name]
      : undefined;
    if (next === undefined) return undefined;
    const own = path.slice(0, index + 1);
    if (isDefinition(next)) return { key: own.join('.'), path: own, definition: next, rest: path.slice(index + 1) };
    entry = next;
  }
  return undefined;
}
