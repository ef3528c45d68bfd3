/** The JSON schema of settings.json, from the table: for editors, and for who wants to check a file. */

import { isDefinition } from './define-setting.ts';
import type { SettingGroup } from './define-setting.ts';
import { SETTINGS_TABLE } from './settings-table.ts';

export type JsonSchema = Record<string, unknown>;

export function createSettingsSchema(): JsonSchema {
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'Settings of Castor and Gemini CLI (settings.json)',
    ...groupSchema(SETTINGS_TABLE),
  };
}

/** Keys nobody knows are kept, so they are allowed. */
function groupSchema(group: SettingGroup): JsonSchema {
  const properties = Object.entries(group).map(([key, entry]) => {
    if (!isDefinition(entry)) return [key, groupSchema(entry)] as const;
    const { shape, summary, default: value } = entry;
    return [key, { description: summary, ...shape, ...(value !== undefined && { default: value }) }] as const;
  });
  return { type: 'object', properties: Object.fromEntries(properties) };
}
