/**
 * Migrates settings that have moved. Old keys keep working in every file; the changes the
 * file needs are returned as edits, and the caller decides whether to write them. A new key
 * that is set wins over its old one.
 */

import { isRecord } from '../util/is-record.ts';

export interface SettingsEdit {
  path: readonly string[];
  /** Undefined removes the value. */
  value: unknown;
  /** The old key of the value. */
  from?: readonly string[];
}

type Values = Record<string, unknown>;

interface Move {
  from: string;
  to: string;
  /** Undefined when the old value is invalid; it then stays as it is. */
  convert(value: unknown, present: unknown): unknown;
}

const invert = (value: unknown) => (typeof value === 'boolean' ? !value : undefined);
const same = (value: unknown) => value;

const MOVES: readonly Move[] = [
  { from: 'general.disableAutoUpdate', to: 'general.enableAutoUpdate', convert: invert },
  { from: 'general.disableUpdateNag', to: 'general.enableAutoUpdateNotification', convert: invert },
  { from: 'ui.accessibility.disableLoadingPhrases', to: 'ui.accessibility.enableLoadingPhrases', convert: invert },
  { from: 'context.fileFiltering.disableFuzzySearch', to: 'context.fileFiltering.enableFuzzySearch', convert: invert },
  { from: 'tools.approvalMode', to: 'general.defaultApprovalMode', convert: same },
  { from: 'experimental.plan', to: 'general.plan.enabled', convert: same },
  {
    from: 'experimental.codebaseInvestigatorSettings',
    to: 'agents.overrides.codebase_investigator',
    convert: toInvestigator,
  },
  { from: 'experimental.cliHelpAgentSettings', to: 'agents.overrides.cli_help', convert: toCliHelp },
];

export interface Migrated {
  values: Values;
  /** Empty when no setting has moved. */
  edits: SettingsEdit[];
}

export function migrateSettings(values: Values): Migrated {
  const migrated: Migrated = { values, edits: [] };
  for (const move of MOVES) applyMove(move, migrated);
  silencePhrases(migrated);
  return migrated;
}

function applyMove({ from, to, convert }: Move, migrated: Migrated): void {
  const source = from.split('.');
  const target = to.split('.');
  const old = valueAt(migrated.values, source);
  if (old === undefined) return;
  const present = valueAt(migrated.values, target);
  const converted = convert(old, present);
  if (converted === undefined) return;
  const isObjectMove = isRecord(converted);
  if (present === undefined || isObjectMove) edit(migrated, { path: target, value: converted, from: source });
  edit(migrated, { path: source, value: undefined });
}

/** Phrases that were disabled with the old setting stay disabled. */
function silencePhrases(migrated: Migrated): void {
  const path = ['ui', 'loadingPhrases'];
  const from = ['ui', 'accessibility', 'enableLoadingPhrases'];
  if (valueAt(migrated.values, from) !== false || valueAt(migrated.values, path) !== undefined) return;
  edit(migrated, { path, value: 'off', from });
}

function toInvestigator(value: unknown, present: unknown): unknown {
  if (!isRecord(value)) return undefined;
  const { enabled, maxNumTurns, maxTimeMinutes, model, thinkingBudget } = value;
  const thinking =
    thinkingBudget === undefined ? undefined : { generateContentConfig: { thinkingConfig: { thinkingBudget } } };
  return overlay(present, {
    enabled,
    runConfig: { maxTurns: maxNumTurns, maxTimeMinutes },
    modelConfig: { model: model === 'auto' ? undefined : model, ...thinking },
  });
}

function toCliHelp(value: unknown, present: unknown): unknown {
  return isRecord(value) ? overlay(present, { enabled: value['enabled'] }) : undefined;
}

/** Merges the converted values under those already present; drops empty ones. */
function overlay(present: unknown, converted: Values): Values {
  const result: Values = {};
  for (const [key, value] of Object.entries(converted)) {
    const inner = isRecord(value) ? overlay(undefined, value) : value;
    if (inner !== undefined && !(isRecord(inner) && Object.keys(inner).length === 0)) result[key] = inner;
  }
  if (!isRecord(present)) return result;
  for (const [key, value] of Object.entries(present)) {
    const below = result[key];
    result[key] = isRecord(below) && isRecord(value) ? overlay(value, below) : value;
  }
  return result;
}

function edit(migrated: Migrated, change: SettingsEdit): void {
  migrated.edits.push(change);
  migrated.values = withValue(migrated.values, change.path, change.value);
}

export function valueAt(values: unknown, path: readonly string[]): unknown {
  let value = values;
  for (const key of path) {
    if (!isRecord(value) || !Object.hasOwn(value, key)) return undefined;
    value = value[key];
  }
  return value;
}

/** A copy with one value set, or removed when it is undefined. */
function withValue(values: Values, [key = '', ...rest]: readonly string[], value: unknown): Values {
  const copy = { ...values };
  const inner = copy[key];
  if (rest.length > 0) copy[key] = withValue(isRecord(inner) ? inner : {}, rest, value);
  else if (value === undefined) delete copy[key];
  else copy[key] = value;
  return copy;
}
