/** Explains one setting: which layers set it, and which one wins. It reads layers and no files. */

import { valueAt } from './migrate-settings.ts';
import { describeShape } from './setting-shape.ts';
import type { SettingsLayer, SettingsScope } from './settings-layer.ts';
import { noEffectOf } from './table/no-effect.ts';
import type { NoEffect } from './table/no-effect.ts';
import { findSetting } from './settings-table.ts';
import type { FoundSetting, Settings } from './settings-table.ts';
import { isRecord } from '../util/is-record.ts';

export interface SettingSource {
  scope: SettingsScope;
  /** `file:line`, the name of a variable, or absent for a default. */
  where?: string;
  value: unknown;
  /** `adds`: several layers are merged into the value. */
  outcome: 'wins' | 'loses' | 'adds' | 'narrows' | 'ignored';
  /** Why it is ignored. */
  reason?: string;
}

export interface SettingExplanation {
  key: string;
  /** The effective value. */
  value: unknown;
  /** Absent for an unknown key. */
  about?: { summary: string; expected: string; default: unknown; noEffect?: NoEffect };
  /** Strongest first. */
  sources: SettingSource[];
  /** Files that were not read. */
  unread: { scope: SettingsScope; path: string; reason: string }[];
}

/** Every layer that sets a key, strongest first. */
export function explainSetting(
  key: string,
  { layers, settings }: { layers: readonly SettingsLayer[]; settings: Settings },
): SettingExplanation {
  const path = key.split('.');
  const found = findSetting(path);
  const value = valueAt(settings, path);
  const noEffect = noEffectOf(key);
  const said = layers.toReversed().flatMap((layer) => whatLayerSays(layer, key, path));
  return {
    key,
    value,
    ...(found?.rest.length === 0 && {
      about: {
        summary: found.definition.summary,
        expected: describeShape(found.definition.shape),
        default: found.definition.default,
        ...(noEffect !== undefined && { noEffect }),
      },
    }),
    sources: doesCombine(found, value) ? combined(said, found) : ranked(said),
    unread: layers.flatMap(({ scope, path: file, skipped }) =>
      skipped === undefined || file === undefined ? [] : [{ scope, path: file, reason: skipped }],
    ),
  };
}

/** `wins` marks every valid value until the layers are compared. */
function whatLayerSays(layer: SettingsLayer, key: string, path: readonly string[]): SettingSource[] {
  const used = valueAt(layer.values, path);
  const value = used ?? valueAt(layer.raw, path);
  if (value === undefined) return [];
  const where = layer.locate(key);
  const place = { scope: layer.scope, ...(where !== undefined && { where }), value };
  if (used !== undefined) return [{ ...place, outcome: 'wins' }];
  const refused = layer.ignored.find((entry) => key === entry.key || key.startsWith(`${entry.key}.`));
  return [{ ...place, outcome: 'ignored', reason: refused?.reason ?? 'invalid value' }];
}

/** Whether several layers may be merged into the value. */
function doesCombine(found: FoundSetting | undefined, value: unknown): boolean {
  const merge = found?.definition.merge;
  if (merge === undefined) return isRecord(value);
  return found?.rest.length === 0 && merge !== 'replace';
}

function ranked(sources: readonly SettingSource[]): SettingSource[] {
  const winner = sources.find(({ outcome }) => outcome === 'wins');
  return sources.map((source) =>
    source.outcome === 'wins' && source !== winner ? { ...source, outcome: 'loses' } : source,
  );
}

/** An empty default adds nothing; a single remaining source wins. */
function combined(sources: readonly SettingSource[], found: FoundSetting | undefined): SettingSource[] {
  const counting = sources.filter(({ outcome }) => outcome === 'wins');
  const said = counting.length > 1 ? sources.filter((source) => !isEmptyDefault(source)) : sources;
  if (said.filter(({ outcome }) => outcome === 'wins').length < 2) return [...said];
  const outcome = found?.definition.merge === 'intersect' ? 'narrows' : 'adds';
  return said.map((source) => (source.outcome === 'wins' ? { ...source, outcome } : source));
}

function isEmptyDefault({ scope, value }: SettingSource): boolean {
  return scope === 'defaults' && typeof value === 'object' && value !== null && Object.keys(value).length === 0;
}
