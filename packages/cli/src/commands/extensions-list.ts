/** The pages of `castor extensions list` and `/extensions list`. Secrets are never part of them. */

import { extensionId, isEnabled, readEnablement, readSettingValues } from '@castor/core/program';
import type { Extension, UpdateState } from '@castor/core/program';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { toJson } from '../to-json.ts';
import type { ExtensionDesk } from './extension-desk.ts';

export async function listExtensions(desk: ExtensionDesk, format: 'text' | 'json'): Promise<string> {
  const { extensions, broken } = desk.list();
  const rows = await Promise.all(extensions.map((extension) => describe(extension, desk)));
  if (format === 'json')
    return `${toJson(
      rows.map(({ json }) => json),
      { indent: 2 },
    )}\n`;
  if (rows.length === 0 && broken.length === 0) return 'No extensions installed.\n';
  const problems = broken.map(({ folder, problem }) => `✗ ${problem}\n Path: ${folder}`);
  return `${[...rows.map(({ text }) => text), ...problems].join('\n\n')}\n`;
}

export interface BriefListOptions {
  updates: ReadonlyMap<string, { state: UpdateState }>;
  /** The only extensions of the session, where it is limited to some. */
  limit?: readonly string[] | undefined;
}

/** One line each: state and, where known, whether there is an update. */
export function listBriefly(desk: ExtensionDesk, { updates, limit }: BriefListOptions): string {
  const { extensions, broken } = desk.list();
  const lines = extensions.map((extension) => {
    const { name, manifest } = extension;
    const state = updates.get(name)?.state;
    return `${name} (v${manifest.version}) - ${stateOf(extension, limit)}${state === undefined ? '' : ` (${state})`}`;
  });
  const all = [...lines, ...broken.map(({ problem }) => `not usable: ${problem}`)];
  return all.length === 0
    ? 'No extensions installed.'
    : `Installed extensions:\n${all.map((line) => `  ${line}`).join('\n')}`;
}

function stateOf({ name, isEnabled: isOn, consent }: Extension, limit?: readonly string[]): string {
  const isChosen = limit?.some((each) => each.toLowerCase() === name.toLowerCase());
  if (isChosen === false) return isOn ? 'disabled for this session' : 'disabled';
  if (!isOn && isChosen === undefined) return 'disabled';
  if (consent === 'new') return 'waits for your consent';
  return consent === 'changed' ? 'changed since your consent, not loaded' : 'active';
}

async function describe(extension: Extension, desk: ExtensionDesk) {
  const { name, folder, directory, installation, manifest, consent, isEnabled: isOn } = extension;
  const { home, cwd } = desk.options;
  const rules = readEnablement(home)[name];
  const values = await readSettingValues(extension, desk.valuePlace());
  const skills = namesIn(join(directory, 'skills'));
  const contextFiles = (manifest.contextFileNames ?? ['GEMINI.md'])
    .map((file) => join(directory, file))
    .filter((path) => existsSync(path));
  const settings = manifest.settings.map(({ name: title, envVar, sensitive }) => {
    const found = values[envVar];
    const where = { scope: found?.scope, place: found?.place };
    return {
      name: title,
      envVar,
      sensitive,
      isSet: found !== undefined,
      ...where,
      shown: show(found?.value, sensitive),
    };
  });
  const id = extensionId(name, installation);
  const isOnForUser = isEnabled(rules, home);
  const servers = Object.keys(manifest.mcpServers);
  const section = (title: string, items: readonly string[]) =>
    items.length === 0 ? [] : [` ${title}:`, ...items.map((item) => `  ${item}`)];
  const text = [
    `${isOn && consent === 'known' ? '✓' : '✗'} ${name} (${manifest.version})`,
    ` ID: ${id}`,
    ` Path: ${folder}`,
    ...(installation ? [` Source: ${installation.source} (Type: ${installation.type})`] : []),
    ...(installation?.ref === undefined ? [] : [` Ref: ${installation.ref}`]),
    ...(installation?.releaseTag === undefined ? [] : [` Release tag: ${installation.releaseTag}`]),
    ` Enabled (User): ${isOnForUser}`,
    ` Enabled (Workspace): ${isEnabled(rules, cwd)}`,
    ...(consent === 'known'
      ? []
      : [
          ` Consent: ${consent === 'new' ? 'not asked yet' : 'changed since you consented'}; castor extensions consent ${name}`,
        ]),
    ...section('Context files', contextFiles),
    ...section('MCP servers', servers),
    ...section('Excluded tools', manifest.excludeTools),
    ...section('Agent skills', skills),
    ...section(
      'Settings',
      settings.map(({ name: title, shown, scope, place }) => {
        const where =
          scope === undefined
            ? ''
            : ` (${scope === 'user' ? 'User' : 'Workspace'} - ${place === 'keyring' ? 'Keychain' : 'file'})`;
        return `${title}: ${shown}${where}`;
      }),
    ),
  ].join('\n');
  const json = {
    ...{ name, version: manifest.version, id, path: folder, isActive: isOn && consent === 'known', consent },
    installMetadata: installation,
    enabled: { user: isOnForUser, workspace: isEnabled(rules, cwd) },
    ...{ contextFiles, mcpServers: servers, excludeTools: manifest.excludeTools, skills, themes: manifest.themes },
    settings,
  };
  return { text, json };
}

function show(value: string | undefined, isSecret: boolean): string {
  if (value === undefined) return '[not set]';
  return isSecret ? '***' : value;
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).filter((name) => existsSync(join(folder, name, 'SKILL.md')));
  } catch {
    // No skills.
    return [];
  }
}
