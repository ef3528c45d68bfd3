/** Generates the JSON schema of settings.json from the table: for editors and for validating a file. */

import { isDefinition } from './define-setting.ts';
import type { SettingGroup } from './define-setting.ts';
import { noEffectOf } from './table/no-effect.ts';
import { SETTINGS_TABLE } from './settings-table.ts';

export type JsonSchema = Record<string, unknown>;

export function createSettingsSchema(): JsonSchema {
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'Settings of Castor and Gemini CLI (settings.json)',
    ...groupSchema(SETTINGS_TABLE),
  };
}

/** Castor keeps unknown keys, so the schema allows them. */
function groupSchema(group: SettingGroup, path: readonly string[] = []): JsonSchema {
  const properties = Object.entries(group).map(([key, entry]) => {
    if (!isDefinition(entry)) return [key, groupSchema(entry, [...path, key])] as const;
    const { shape, summary, default: value } = entry;
    const noEffect = noEffectOf([...path, key].join('.'));
    const description =
      noEffect === undefined ? summary : `${summary} No effect${noEffect === 'planned' ? ' yet' : ''}.`;
    return [key, { description, ...shape, ...(value !== undefined && { default: value }) }] as const;
  });
  return { type: 'object', properties: Object.fromEntries(properties) };
}
