/** Prints settings for `castor config`: all that are set, or one with every layer. Secrets are masked. */

import { explainSetting, findSetting, listSettings } from '@castor/core/program';
import type {
  Configuration,
  SettingExplanation,
  SettingSource,
  SettingsLayer,
  SettingsScope,
} from '@castor/core/program';
import { ExitCode } from '../exit-codes.ts';
import { createMask } from '../mask-secrets.ts';
import { nearest } from '../nearest.ts';
import type { SubcommandContext } from './subcommand-context.ts';
import type { ConfigOptions } from './config-options.ts';
import { toJson } from '../to-json.ts';

const NOTHING_SET = 'All settings have their defaults: castor config show --all';
const OTHERS = 'All other settings have their defaults: castor config show --all';

type Mask = ReturnType<typeof createMask>;

const SCOPES: Readonly<Record<SettingsScope, string>> = {
  defaults: 'default',
  systemDefaults: 'system defaults',
  user: 'user',
  workspace: 'workspace',
  system: 'system',
  environment: 'environment',
};

export async function showSettings(
  { json, sources, all }: ConfigOptions,
  { output }: SubcommandContext,
  configuration: Configuration,
): Promise<ExitCode> {
  const mask = createMask(configuration.environment);
  if (json) {
    const report = sources ? reportSources(configuration, mask) : mask('', configuration.settings);
    await output.answer(`${toJson(report, { indent: 2 })}\n`);
    return ExitCode.Success;
  }
  const keys = all ? allKeys(configuration) : setKeys(configuration);
  const lines = [
    ...(sources ? [...describePlaces(configuration), ''] : []),
    ...keys.flatMap((key) => describeKey(explainSetting(key, configuration), mask, sources)),
    ...(all ? [] : [keys.length === 0 ? NOTHING_SET : `\n${OTHERS}`]),
  ];
  await output.answer(`${lines.join('\n')}\n`);
  return ExitCode.Success;
}

/** The settings that files and variables set, and those Castor does not know. */
function setKeys({ layers }: Configuration): string[] {
  const keys = new Set(layers.slice(1).flatMap(({ raw }) => leavesOf(raw, [])));
  return sortLikeTable(keys);
}

function allKeys(configuration: Configuration): string[] {
  return sortLikeTable(new Set([...listSettings().map(({ key }) => key), ...setKeys(configuration)]));
}

function sortLikeTable(keys: ReadonlySet<string>): string[] {
  const known = listSettings().map(({ key }) => key);
  return [...known.filter((key) => keys.has(key)), ...[...keys].filter((key) => !known.includes(key)).toSorted()];
}

function leavesOf(values: Readonly<Record<string, unknown>>, path: readonly string[]): string[] {
  return Object.entries(values).flatMap(([key, value]) => {
    const inner = [...path, key];
    const isGroup = findSetting(inner) === undefined && typeof value === 'object' && value !== null;
    return isGroup && !Array.isArray(value) ? leavesOf(value as Record<string, unknown>, inner) : [inner.join('.')];
  });
}

function describePlaces({ layers, envFile }: Configuration): string[] {
  const rows = layers
    .filter(({ path }) => path !== undefined)
    .toReversed()
    .map((layer) => [SCOPES[layer.scope], statusOf(layer), layer.path ?? '']);
  const taken = Object.keys(envFile.variables).length;
  if (envFile.path !== undefined) rows.push(['.env', `${taken} taken, ${envFile.skipped.length} not`, envFile.path]);
  return ['Files, highest precedence first:', ...toColumns(rows)];
}

function statusOf({ status, skipped }: SettingsLayer): string {
  return status === 'skipped' ? `not read: ${skipped}` : status;
}

function describeKey(explanation: SettingExplanation, mask: Mask, withSources: boolean): string[] {
  const { key, value, sources } = explanation;
  const head = `${key} = ${show(mask(key, value))}`;
  if (!withSources) return [head];
  const rows = sources.map((source) => toRow(key, source, mask));
  return [head, ...toColumns(rows)];
}

function toRow(key: string, { scope, where, value, outcome, reason }: SettingSource, mask: Mask): string[] {
  const said = outcome === 'wins' ? '' : show(mask(key, value));
  const why = reason === undefined ? '' : `(${reason})`;
  return [outcome, SCOPES[scope], where ?? '', said, why];
}

/** Two blanks between columns, no trailing blanks. */
function toColumns(rows: readonly (readonly string[])[]): string[] {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows.map((row) => `  ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ')}`.trimEnd());
}

function show(value: unknown): string {
  return value === undefined ? 'unset' : JSON.stringify(value);
}

function reportSources(configuration: Configuration, mask: Mask): unknown {
  const { layers, envFile } = configuration;
  const files = layers.flatMap(({ scope, path, status, skipped }) =>
    path === undefined ? [] : [{ scope, path, status, ...(skipped !== undefined && { reason: skipped }) }],
  );
  const settings = setKeys(configuration).map(
    (key) => [key, toReport(explainSetting(key, configuration), mask)] as const,
  );
  const { path, skipped, shadowed } = envFile;
  const taken = Object.keys(envFile.variables);
  return {
    files,
    envFile: path === undefined ? null : { path, taken, skipped, ...(shadowed !== undefined && { shadowed }) },
    settings: Object.fromEntries(settings),
  };
}

function toReport({ key, value, sources, unread, about }: SettingExplanation, mask: Mask) {
  return {
    value: mask(key, value) ?? null,
    ...(about && { about: { ...about, default: about.default ?? null } }),
    sources: sources.map((source) => ({ ...source, value: mask(key, source.value) })),
    unread,
  };
}

export async function explainKey(
  { operands: [key = ''], json }: ConfigOptions,
  { output }: SubcommandContext,
  configuration: Configuration,
): Promise<ExitCode> {
  const explanation = explainSetting(key, configuration);
  if (refuseUnknown(explanation, output)) return ExitCode.Failure;
  const mask = createMask(configuration.environment);
  if (!json && isGroup(key)) return explainGroup(key, { output, configuration, mask });
  const text = json
    ? toJson({ key, ...toReport(explanation, mask) }, { indent: 2 })
    : describeFully(explanation, mask).join('\n');
  await output.answer(`${text}\n`);
  return ExitCode.Success;
}

function describeFully({ key, value, about, sources, unread }: SettingExplanation, mask: Mask): string[] {
  const rows = sources.map((source) => {
    const [outcome = '', scope = '', where = '', , why = ''] = toRow(key, source, mask);
    return [outcome, scope, where, show(mask(key, source.value)), why];
  });
  return [
    `${key} = ${show(mask(key, value))}`,
    ...(about === undefined
      ? [`  ${isInside(key) ? 'Part of a setting.' : 'Unknown setting; Castor keeps it in the file.'}`]
      : [`  ${about.summary}`, `  Takes ${about.expected}. Default: ${show(mask(key, about.default))}.`]),
    ...(about?.noEffect === undefined ? [] : [`  No effect${about.noEffect === 'planned' ? ' yet' : ''}.`]),
    '',
    ...(rows.length === 0 ? ['  Not set in any file or variable.'] : toColumns(rows)),
    ...unread.map(({ path, reason }) => `  ${path} was ignored: ${reason}.`),
  ];
}

interface GroupOptions {
  output: SubcommandContext['output'];
  configuration: Configuration;
  mask: Mask;
}

async function explainGroup(key: string, { output, configuration, mask }: GroupOptions): Promise<ExitCode> {
  const keys = allKeys(configuration).filter((name) => name.startsWith(`${key}.`));
  const lines = keys.flatMap((name) => {
    const explanation = explainSetting(name, configuration);
    return describeKey(
      explanation,
      mask,
      explanation.sources.some(({ scope }) => scope !== 'defaults'),
    );
  });
  await output.answer(`${key} is a group of ${keys.length} settings:\n\n${lines.join('\n')}\n`);
  return ExitCode.Success;
}

function isGroup(key: string): boolean {
  return listSettings().some((setting) => setting.key.startsWith(`${key}.`));
}

function isInside(key: string): boolean {
  return findSetting(key.split('.')) !== undefined;
}

export async function getKey(
  { operands: [key = ''] }: ConfigOptions,
  { output }: SubcommandContext,
  configuration: Configuration,
): Promise<ExitCode> {
  const explanation = explainSetting(key, configuration);
  if (refuseUnknown(explanation, output)) return ExitCode.Failure;
  if (explanation.value === undefined) {
    output.note(`castor: ${key} is unset.`);
    return ExitCode.Failure;
  }
  const value = createMask(configuration.environment)(key, explanation.value);
  await output.answer(`${typeof value === 'string' ? value : toJson(value, { indent: 2 })}\n`);
  return ExitCode.Success;
}

function refuseUnknown(
  { key, value, about, sources }: SettingExplanation,
  output: SubcommandContext['output'],
): boolean {
  if (about !== undefined || value !== undefined || sources.length > 0 || isInside(key)) return false;
  output.note(`castor: ${unknownSetting(key)}`);
  return true;
}

export function unknownSetting(key: string): string {
  const known = listSettings().map((setting) => setting.key);
  const near =
    nearest(key, known) ??
    known.find((candidate) => candidate.toLowerCase().endsWith(`.${key.toLowerCase()}`)) ??
    known.find((candidate) => candidate.toLowerCase() === key.toLowerCase());
  return `unknown setting ${JSON.stringify(key)}.${near === undefined ? '' : ` Did you mean ${near}?`} List all: castor config show --all`;
}
