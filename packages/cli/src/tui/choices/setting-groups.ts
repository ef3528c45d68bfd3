/** Settings as users look for them: titles in words, in groups by what they are about. Pure. */

import type { NamedSetting } from '@castor/core/program';

const GROUPS = ['General', 'Look', 'Model', 'Tools', 'Safety', 'Context', 'Privacy'] as const;
type SettingGroupName = (typeof GROUPS)[number];

/** By the first part of a key; others are general. */
const GROUP_OF: Readonly<Record<string, SettingGroupName>> = {
  ui: 'Look',
  model: 'Model',
  modelConfigs: 'Model',
  castor: 'Model',
  agents: 'Model',
  tools: 'Tools',
  mcp: 'Tools',
  skills: 'Tools',
  hooksConfig: 'Tools',
  useWriteTodos: 'Tools',
  diagnostics: 'Tools',
  security: 'Safety',
  sandbox: 'Safety',
  context: 'Context',
  privacy: 'Privacy',
  telemetry: 'Privacy',
};

type Named = Pick<NamedSetting, 'path'>;

export function groupOfSetting({ path }: Named): SettingGroupName {
  return GROUP_OF[path[0] ?? ''] ?? 'General';
}

/** In the order of the groups; inside one, in the order of the table. */
export function groupSettings<T extends Named>(settings: readonly T[]): T[] {
  const rank = (setting: T) => GROUPS.indexOf(groupOfSetting(setting));
  return settings.toSorted((one, other) => rank(one) - rank(other));
}

/** `ui.footer.hideCWD` is `Footer: hide CWD`, `general.checkpointing.enabled` is `Checkpointing`. */
export function titleOfSetting({ path }: Named): string {
  const own = path.length > 1 ? path.slice(1) : path;
  const parts = own.length > 1 && own.at(-1) === 'enabled' ? own.slice(0, -1) : own;
  const words = parts.map(inWords).join(': ');
  return words.slice(0, 1).toUpperCase() + words.slice(1);
}

function inWords(name: string): string {
  return name
    .replaceAll(/([a-z\d])([A-Z])/g, '$1 $2')
    .split(' ')
    .map((word) => (/^[A-Z]{2,}$/.test(word) ? word : word.toLowerCase()))
    .join(' ');
}
