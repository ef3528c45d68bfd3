/**
 * Merges layers of settings key by key, by the table's strategies. It returns a copy and
 * changes nothing in place; the last layer is the strongest.
 */

import { isDefinition } from './define-setting.ts';
import type { MergeStrategy, SettingDefinition, SettingGroup } from './define-setting.ts';
import { isRecord } from '../util/is-record.ts';

type Values = Readonly<Record<string, unknown>>;
type Entry = SettingGroup | SettingDefinition<unknown>;

/** Unknown keys are merged like objects and scalars without a strategy. */
export function mergeSettings(layers: readonly Values[], table: SettingGroup): Record<string, unknown> {
  let merged: Record<string, unknown> = {};
  for (const layer of layers) merged = mergeGroup(merged, layer, table);
  return merged;
}

function mergeGroup(lower: Values, higher: Values, group: SettingGroup | undefined): Record<string, unknown> {
  const merged: Record<string, unknown> = { ...lower };
  for (const [key, value] of Object.entries(higher)) {
    const entry: Entry | undefined = group !== undefined && Object.hasOwn(group, key) ? group[key] : undefined;
    merged[key] = mergeEntry(lower[key], value, entry);
  }
  return merged;
}

function mergeEntry(lower: unknown, higher: unknown, entry: Entry | undefined): unknown {
  if (entry === undefined) return mergeDeeply(lower, higher);
  if (isDefinition(entry)) return combine(entry.merge, lower, higher);
  return isRecord(higher) ? mergeGroup(isRecord(lower) ? lower : {}, higher, entry) : lower;
}

function combine(strategy: MergeStrategy | undefined, lower: unknown, higher: unknown): unknown {
  if (lower === undefined) return higher;
  switch (strategy) {
    case 'concat':
      return [...toList(lower), ...toList(higher)];
    case 'union':
      return [...new Set([...toList(lower), ...toList(higher)])];
    case 'intersect':
      return intersect(toList(lower), toList(higher));
    case 'shallow':
      return isRecord(lower) && isRecord(higher) ? { ...lower, ...higher } : higher;
    case 'replace':
      return higher;
    case undefined:
      return mergeDeeply(lower, higher);
  }
}

/** Keeps the spelling of the stronger layer. */
function intersect(lower: readonly unknown[], higher: readonly unknown[]): unknown[] {
  const known = new Set(lower.map((name) => String(name).toLowerCase()));
  return higher.filter((name) => known.has(String(name).toLowerCase()));
}

function toList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function mergeDeeply(lower: unknown, higher: unknown): unknown {
  return isRecord(lower) && isRecord(higher) ? mergeGroup(lower, higher, undefined) : higher;
}
