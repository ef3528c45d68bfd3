/** `castor extensions config`: shows and sets the values of an extension's settings. Secrets are read without an echo and never shown. */

import { ExtensionError, readSettingValues, writeSettingValue } from '@castor/core/program';
import type { ConfiguredExtension, Extension, ExtensionSetting, ValueScope } from '@castor/core/program';
import type { ExtensionDesk } from './extension-desk.ts';

export interface SettingPrompt {
  /** Undefined when the user cancels. */
  ask(label: string, isSecret: boolean): Promise<string | undefined>;
  tell(line: string): void;
  /** Keeps the keyboard for the questions until it is disposed of. */
  hold?(): Disposable;
}

/** All settings of one extension, or of all extensions, or one setting. */
export async function configureExtension(
  desk: ExtensionDesk,
  { names, setting: wanted, scope }: { names: readonly string[]; setting: string | undefined; scope: ValueScope },
  prompt: SettingPrompt,
): Promise<void> {
  if (!desk.options.settings.experimental.extensionConfig) {
    throw new ExtensionError('Settings of extensions are disabled by experimental.extensionConfig.');
  }
  if (scope === 'workspace' && desk.options.trustedFolder !== true) {
    throw new ExtensionError(`${desk.options.cwd} is not trusted, so values for it would not be read. Trust it first.`);
  }
  using _keyboard = prompt.hold?.();
  for (const name of names) {
    const extension = desk.find(name);
    if (!extension) throw new ExtensionError(`Extension "${name}" is not installed.`);
    const { settings } = extension.manifest;
    if (settings.length === 0) {
      prompt.tell(`Extension "${extension.name}" has no settings to configure.`);
      continue;
    }
    const chosen = wanted === undefined ? settings : [findSetting(extension, wanted)];
    prompt.tell(`Configuring settings for "${extension.name}"...`);
    for (const setting of chosen) await configureOne({ extension, setting, scope, desk }, prompt);
  }
}

interface OneSetting {
  extension: Extension;
  setting: ExtensionSetting;
  scope: ValueScope;
  desk: ExtensionDesk;
}

async function configureOne({ extension, setting, scope, desk }: OneSetting, prompt: SettingPrompt): Promise<void> {
  const { name, envVar, sensitive } = setting;
  const place = desk.valuePlace();
  const present = (await readSettingValues(extension, place))[envVar];
  if (present?.scope === 'workspace' && scope === 'user') {
    prompt.tell(`Note: Setting "${name}" is already configured in the workspace scope.`);
  }
  if (present?.scope === scope) {
    const answer = await prompt.ask(`Setting "${name}" (${envVar}) is already set. Overwrite? [y/N] `, false);
    if (!/^y(es)?$/i.test(answer?.trim() ?? '')) return;
  }
  const value = await prompt.ask(labelOf(setting), sensitive);
  if (value === undefined) throw new ExtensionError('Cancelled; nothing was changed.');
  await writeSettingValue(extension, setting, value.trim(), { scope, place });
  prompt.tell(`Setting "${name}" updated.`);
}

function labelOf({ name, description, sensitive }: ExtensionSetting): string {
  return `${name}${description === '' ? '' : ` (${description})`}${sensitive ? ', not shown' : ''}: `;
}

function findSetting({ name, manifest }: Extension, wanted: string): ExtensionSetting {
  const found = manifest.settings.find((each) => each.name === wanted || each.envVar === wanted);
  if (found) return found;
  const names = manifest.settings.map((each) => each.name).join(', ');
  throw new ExtensionError(`Setting "${wanted}" not found for extension "${name}". Its settings: ${names}.`);
}

/** Asks for the settings without a value while an extension is installed or updated. */
export async function askMissingValues(
  extension: ConfiguredExtension,
  desk: ExtensionDesk,
  prompt: SettingPrompt | undefined,
): Promise<string[]> {
  const place = desk.valuePlace();
  const present = await readSettingValues(extension, place);
  const missing = extension.manifest.settings.filter(({ envVar }) => present[envVar] === undefined);
  const left: string[] = [];
  using _keyboard = missing.length > 0 ? prompt?.hold?.() : undefined;
  for (const setting of missing) {
    const value = await prompt?.ask(labelOf(setting), setting.sensitive);
    if (value?.trim()) await writeSettingValue(extension, setting, value.trim(), { scope: 'user', place });
    else left.push(setting.name);
  }
  return left;
}
