/**
 * Defines one row of the settings table: shape, default, merge strategy, what a project may
 * set, and a summary. All information about a setting is derived from its row.
 */

import type { Shape } from './setting-shape.ts';

/**
 * How a higher layer combines with a lower one. Absent: objects are merged key by key, other
 * values are replaced. `intersect`: only items present in every layer that sets the key.
 */
export type MergeStrategy = 'concat' | 'union' | 'shallow' | 'replace' | 'intersect';

export interface SettingExtras<Value> {
  merge?: MergeStrategy;
  /** `never`: a project's file cannot set it. `tighten`: it may enable this, not disable it. */
  project?: 'never' | 'tighten';
  /** The keys of an object that a project's file may set; the others are the user's alone. Absent: all. */
  projectKeys?: readonly string[];
  /** Replaces an invalid value where ignoring it would lift a restriction; `refuse` ends the program. */
  whenInvalid?: 'refuse' | { use: Value };
}

/** Value is the type of the loaded setting; undefined in it means that the setting may be unset. */
export interface SettingDefinition<Value> extends SettingExtras<Value> {
  isSetting: true;
  shape: Shape;
  default: Value;
  summary: string;
}

export interface SettingGroup {
  readonly [key: string]: SettingGroup | SettingDefinition<unknown>;
}

export type SettingValues<Group> = {
  readonly [Key in keyof Group]: Group[Key] extends SettingDefinition<infer Value> ? Value : SettingValues<Group[Key]>;
};

export function isDefinition(entry: SettingGroup | SettingDefinition<unknown>): entry is SettingDefinition<unknown> {
  return entry['isSetting'] === true;
}

export function setting<Value>(
  shape: Shape,
  defaultValue: Value,
  summary: string,
  extras: SettingExtras<Value> = {},
): SettingDefinition<Value> {
  return { isSetting: true, shape, default: defaultValue, summary, ...extras };
}

export function flag(
  defaultValue: boolean,
  summary: string,
  extras?: SettingExtras<boolean>,
): SettingDefinition<boolean> {
  return setting({ type: 'boolean' }, defaultValue, summary, extras);
}

export function text(summary: string, extras?: SettingExtras<string | undefined>) {
  return setting<string | undefined>(TEXT, undefined, summary, extras);
}

export function textOr(defaultValue: string, summary: string, extras?: SettingExtras<string>) {
  return setting<string>(TEXT, defaultValue, summary, extras);
}

export function count(
  defaultValue: number,
  summary: string,
  bounds: Pick<Shape, 'minimum' | 'maximum'> = { minimum: 0 },
  extras?: SettingExtras<number>,
): SettingDefinition<number> {
  return setting({ type: 'integer', ...bounds }, defaultValue, summary, extras);
}

export function choice<const Value extends string>(
  values: readonly Value[],
  defaultValue: NoInfer<Value>,
  summary: string,
  extras?: SettingExtras<Value>,
): SettingDefinition<Value> {
  return setting<Value>({ type: 'string', enum: values }, defaultValue, summary, extras);
}

export function optionalChoice<const Value extends string>(
  values: readonly Value[],
  summary: string,
  extras?: SettingExtras<Value | undefined>,
): SettingDefinition<Value | undefined> {
  return setting<Value | undefined>({ type: 'string', enum: values }, undefined, summary, extras);
}

export function texts(
  defaultValue: readonly string[],
  summary: string,
  extras?: SettingExtras<readonly string[]>,
): SettingDefinition<readonly string[]> {
  return setting<readonly string[]>(TEXTS, defaultValue, summary, extras);
}

/** A list that may be missing, which differs from an empty one. */
export function optionalTexts(summary: string, extras?: SettingExtras<readonly string[] | undefined>) {
  return setting<readonly string[] | undefined>(TEXTS, undefined, summary, extras);
}

export const TEXT: Shape = { type: 'string' };
export const TEXTS: Shape = { type: 'array', items: TEXT };
export const TEXT_MAP: Shape = { type: 'object', additionalProperties: TEXT };
export const BOOLEAN: Shape = { type: 'boolean' };
