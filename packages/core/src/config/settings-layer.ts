/**
 * Builds one layer of settings: its origin, its raw content and its valid values. A layer is
 * read once and never changes.
 */

import { isProviderKey } from './dangerous-variables.ts';
import { expandVariables } from './expand-variables.ts';
import { ADMIN_ONLY, describeSettingProblem, fitSettings, PROJECT_NEVER } from './fit-settings.ts';
import type { FittedLayer, IgnoredSetting, SettingProblem } from './fit-settings.ts';
import { lineOf, parseJsonText } from './json-text.ts';
import { migrateSettings, valueAt } from './migrate-settings.ts';
import type { SettingsEdit } from './migrate-settings.ts';
import { SETTINGS_TABLE } from './settings-table.ts';
import { SettingsError } from './settings-error.ts';

export type SettingsScope = 'defaults' | 'systemDefaults' | 'user' | 'workspace' | 'system' | 'environment';

export interface SettingsLayer {
  readonly scope: SettingsScope;
  /** The path of the file. */
  readonly path?: string;
  readonly status: 'read' | 'absent' | 'skipped';
  /** Why the file was not read. */
  readonly skipped?: string;
  /** As written, migrated to the current keys, before variables are expanded. */
  readonly raw: Readonly<Record<string, unknown>>;
  /** The valid values. */
  readonly values: Readonly<Record<string, unknown>>;
  readonly ignored: readonly IgnoredSetting[];
  /** The edits that would migrate the file. */
  readonly migrations: readonly SettingsEdit[];
  /** `file:line` or the name of a variable; undefined where the layer does not set the key. */
  locate(key: string): string | undefined;
}

type Environment = Readonly<Record<string, string | undefined>>;

export interface LayerOptions {
  scope: SettingsScope;
  path: string;
  environment: Environment;
  warnings: string[];
}

export function emptyLayer(scope: SettingsScope, path: string | undefined, skipped?: string): SettingsLayer {
  return {
    scope,
    ...(path !== undefined && { path }),
    status: skipped === undefined ? 'absent' : 'skipped',
    ...(skipped !== undefined && { skipped }),
    raw: {},
    values: {},
    ignored: [],
    migrations: [],
    locate: () => undefined,
  };
}

/** Account credentials; a project's file must not pass them to a program of its choice. */
const OWN_CREDENTIALS: ReadonlySet<string> = new Set([
  'GEMINI_API_KEY',
  'GOOGLE_API_KEY',
  'GOOGLE_APPLICATION_CREDENTIALS',
]);

/** Throws a SettingsError for an invalid text; lesser problems become warnings. */
export function layerFromText(text: string, { scope, path, environment, warnings }: LayerOptions): SettingsLayer {
  const isProject = scope === 'workspace';
  const withheld = new Set<string>();
  const written = parseJsonText(path, text);
  const { values: raw, edits } = migrateSettings(written);
  const expanded = expandVariables(raw, {
    path,
    environment,
    ...(isProject && {
      isWithheld: (name) => OWN_CREDENTIALS.has(name) || isProviderKey(name),
      onWithheld: (name) => void withheld.add(name),
    }),
  });
  const fitted = fitSettings(expanded, { table: SETTINGS_TABLE, isProject, isAdmin: scope === 'system' });
  const moved = new Map(edits.flatMap(({ path: to, from }) => (from ? [[to.join('.'), from] as const] : [])));
  const placeOf = (keys: readonly (string | number)[]) => lineOf(path, text, moved.get(keys.join('.')) ?? keys);
  warnings.push(...describeProblems(path, fitted, placeOf));
  for (const name of withheld) {
    warnings.push(`${path}: $${name} was not expanded, because a project's file may not use your key.`);
  }
  return {
    scope,
    path,
    status: 'read',
    raw,
    values: fitted.values,
    ignored: fitted.ignored,
    migrations: edits,
    locate(key) {
      const keys = key.split('.');
      return valueAt(raw, keys) === undefined ? undefined : `${path}:${placeOf(keys)}`;
    },
  };
}

const MAX_PROBLEMS = 5;

function describeProblems(
  path: string,
  { problems, ignored }: FittedLayer,
  placeOf: (keys: readonly (string | number)[]) => number,
): string[] {
  const line = (problem: SettingProblem) => `  line ${placeOf(problem.path)}: ${describeSettingProblem(problem)}`;
  const fatal = problems.find(({ isFatal }) => isFatal);
  if (fatal !== undefined) {
    throw new SettingsError(
      `${path}:${placeOf(fatal.path)}: ${fatal.path.join('.')} must be ${fatal.expected}, not ${fatal.got}.`,
      { path, line: placeOf(fatal.path) },
    );
  }
  const messages: string[] = [];
  if (problems.length > 0) {
    const more = problems.length > MAX_PROBLEMS ? [`  and ${problems.length - MAX_PROBLEMS} more.`] : [];
    messages.push(
      [`Invalid configuration in ${path}:`, ...problems.slice(0, MAX_PROBLEMS).map(line), ...more].join('\n'),
    );
  }
  // Keys of a remote administrator are no mistake of the user, and have no other place.
  const told = ignored.filter(({ key, reason }) => !key.startsWith('admin') || reason === ADMIN_ONLY);
  for (const reason of new Set(told.map((entry) => entry.reason))) {
    const keys = ignored.filter((entry) => entry.reason === reason).map(({ key }) => key);
    const hint = reason === PROJECT_NEVER ? ' Your own settings may.' : '';
    messages.push(`${path}: ${keys.join(', ')} ${keys.length === 1 ? 'was' : 'were'} ignored: ${reason}.${hint}`);
  }
  return messages;
}
