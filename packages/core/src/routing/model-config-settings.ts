/**
 * Parses the `modelConfigs` of settings into presets and overrides. The settings schema guarantees only objects;
 * invalid values are rejected with their place, because a request with other parameters than the user configured
 * would go unnoticed.
 */

import type { ModelConfigAlias, ModelConfigAliases, ModelConfigValues } from '../provider/catalogue/model-catalogue.ts';
import { ModelConfigError } from './model-configs.ts';
import type { ModelConfigChanges, ModelConfigOverride } from './model-configs.ts';
import { isRecord } from '../util/is-record.ts';

type JsonObject = Readonly<Record<string, unknown>>;

/** As in the settings, under `modelConfigs`. */
export interface ModelConfigSettings {
  aliases: Readonly<Record<string, JsonObject>>;
  customAliases: Readonly<Record<string, JsonObject>>;
  overrides: readonly JsonObject[];
  customOverrides: readonly JsonObject[];
}

/** Undefined when nothing is configured. Throws ModelConfigError. */
export function readModelConfigs(settings: ModelConfigSettings): ModelConfigChanges | undefined {
  const { aliases, customAliases, overrides, customOverrides } = settings;
  const isSilent = [aliases, customAliases, overrides, customOverrides].every((said) => Object.keys(said).length === 0);
  if (isSilent) return undefined;
  return {
    aliases: readAliases(aliases, 'modelConfigs.aliases'),
    customAliases: readAliases(customAliases, 'modelConfigs.customAliases'),
    overrides: readOverrides(overrides, 'modelConfigs.overrides'),
    customOverrides: readOverrides(customOverrides, 'modelConfigs.customOverrides'),
  };
}

function readAliases(aliases: ModelConfigSettings['aliases'], key: string): ModelConfigAliases {
  return Object.fromEntries(
    Object.entries(aliases).map(([name, alias]): [string, ModelConfigAlias] => {
      const place = `${key}.${name}`;
      const base = readText(alias['extends'], `${place}.extends`);
      const modelConfig = readValues(alias['modelConfig'], `${place}.modelConfig`);
      return [name, { modelConfig, ...(base !== undefined && { extends: base }) }];
    }),
  );
}

function readOverrides(overrides: readonly JsonObject[], key: string): ModelConfigOverride[] {
  return overrides.map((override, index) => {
    const place = `${key}[${index}]`;
    const { model, overrideScope, isRetry } = readObject(override['match'], `${place}.match`);
    if (isRetry !== undefined && typeof isRetry !== 'boolean') refuse(`${place}.match.isRetry`, 'true or false');
    const name = readText(model, `${place}.match.model`);
    const scope = readText(overrideScope, `${place}.match.overrideScope`);
    return {
      match: {
        ...(name !== undefined && { model: name }),
        ...(scope !== undefined && { overrideScope: scope }),
        ...(typeof isRetry === 'boolean' && { isRetry }),
      },
      modelConfig: readValues(override['modelConfig'], `${place}.modelConfig`),
    };
  });
}

function readValues(value: unknown, place: string): ModelConfigValues {
  const { model, generateContentConfig } = readObject(value, place);
  const name = readText(model, `${place}.model`);
  const config = readObject(generateContentConfig, `${place}.generateContentConfig`);
  return { ...(name !== undefined && { model: name }), generateContentConfig: config };
}

/** A missing value is an empty object. */
function readObject(value: unknown, place: string): JsonObject {
  if (value === undefined) return {};
  if (isRecord(value)) return value;
  return refuse(place, 'an object');
}

function readText(value: unknown, place: string): string | undefined {
  if (value === undefined || typeof value === 'string') return value;
  return refuse(place, 'a string');
}

function refuse(place: string, expected: string): never {
  throw new ModelConfigError(`${place} must be ${expected}.`);
}
