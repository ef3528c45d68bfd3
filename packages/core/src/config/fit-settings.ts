/**
 * Validates one layer: keeps the values that match the table and that the layer may set.
 * Reports each rejected value with its reason; keeps unknown keys.
 */

import { isDefinition } from './define-setting.ts';
import type { SettingDefinition, SettingGroup } from './define-setting.ts';
import { fitShape } from './setting-shape.ts';
import type { ShapeProblem } from './setting-shape.ts';
import { isRecord } from '../util/is-record.ts';

type Values = Record<string, unknown>;

export interface SettingProblem extends ShapeProblem {
  /** The program must end: no replacement is safe. */
  isFatal: boolean;
}

export interface IgnoredSetting {
  key: string;
  reason: string;
}

export interface FittedLayer {
  values: Values;
  problems: SettingProblem[];
  ignored: IgnoredSetting[];
}

export interface FitOptions {
  table: SettingGroup;
  isProject: boolean;
  /** Whether the layer is the administrator's file. Default false. */
  isAdmin?: boolean;
}

export const PROJECT_NEVER = "a project's file may not set this";
export const ADMIN_ONLY = "only the administrator's settings file may set it";
export const PROJECT_TIGHTEN = "a project's file may enable this, but not disable it";

export function fitSettings(values: Values, { table, isProject, isAdmin = false }: FitOptions): FittedLayer {
  const fitted: FittedLayer = { values: {}, problems: [], ignored: [] };
  fitted.values = fitGroup(values, table, [], { fitted, isProject, isAdmin });
  return fitted;
}

interface Work {
  fitted: FittedLayer;
  isProject: boolean;
  isAdmin: boolean;
}

function fitGroup(values: Values, group: SettingGroup, path: readonly string[], work: Work): Values {
  const result: Values = {};
  for (const [key, value] of Object.entries(values)) {
    const entry = Object.hasOwn(group, key) ? group[key] : undefined;
    const inner = [...path, key];
    const fitted = entry === undefined ? value : fitEntry(value, entry, inner, work);
    if (fitted !== undefined) result[key] = fitted;
  }
  return result;
}

function fitEntry(
  value: unknown,
  entry: SettingGroup | SettingDefinition<unknown>,
  path: readonly string[],
  work: Work,
): unknown {
  const reason = refusalOfAdmin(value, path, work);
  if (reason !== undefined) {
    work.fitted.ignored.push({ key: path.join('.'), reason });
    return undefined;
  }
  // As in Gemini CLI, `null` leaves the defaults.
  if (value === null) return undefined;
  if (isDefinition(entry)) return fitDefinition(value, entry, path, work);
  if (isRecord(value)) return fitGroup(value, entry, path, work);
  const { problems } = fitShape(value, { type: 'object' });
  work.fitted.problems.push(...problems.map((problem) => ({ ...problem, path, isFatal: false })));
  return undefined;
}

/** The lists of MCP servers are the administrator's, by file (docs/decisions/0087); the rest only a remote one sets. */
function refusalOfAdmin(value: unknown, path: readonly string[], { isAdmin }: Work): string | undefined {
  if (path[0] !== 'admin' || (path.length === 1 && isRecord(value))) return undefined;
  if (path[1] !== 'mcp') return 'only a remote administrator may set it';
  return isAdmin ? undefined : ADMIN_ONLY;
}

function fitDefinition(
  value: unknown,
  definition: SettingDefinition<unknown>,
  path: readonly string[],
  { fitted, isProject }: Work,
): unknown {
  const { project, projectKeys, whenInvalid } = definition;
  const reason = isProject ? refusal(value, project) : undefined;
  if (reason !== undefined) {
    fitted.ignored.push({ key: path.join('.'), reason });
    return undefined;
  }
  const given = isProject && projectKeys ? keepKeys(value, projectKeys, path, fitted.ignored) : value;
  const { value: usable, problems } = fitShape(given, definition.shape);
  const isUnusable = usable === undefined && problems.length > 0;
  const used = isUnusable && typeof whenInvalid === 'object' ? whenInvalid.use : usable;
  const isFatal = isUnusable && whenInvalid === 'refuse';
  for (const problem of problems) {
    const isWhole = problem.path.length === 0;
    fitted.problems.push({ ...problem, path: [...path, ...problem.path], ...(isWhole && { used }), isFatal });
  }
  return used;
}

/** An object without the keys that a project has no say in, each of them reported. */
function keepKeys(
  value: unknown,
  keys: readonly string[],
  path: readonly string[],
  ignored: IgnoredSetting[],
): unknown {
  if (!isRecord(value)) return value;
  const refused = Object.keys(value).filter((key) => !keys.includes(key));
  ignored.push(...refused.map((key) => ({ key: [...path, key].join('.'), reason: PROJECT_NEVER })));
  return Object.fromEntries(Object.entries(value).filter(([key]) => keys.includes(key)));
}

function refusal(value: unknown, project: SettingDefinition<unknown>['project']): string | undefined {
  if (project === 'never') return PROJECT_NEVER;
  return project === 'tighten' && isOff(value) ? PROJECT_TIGHTEN : undefined;
}

function isOff(value: unknown): boolean {
  // An object that does not enable it would replace a value that does.
  if (isRecord(value)) return value['enabled'] !== true;
  return value === false || (typeof value === 'string' && /^(?:false|0|)$/i.test(value.trim()));
}

/** One line about a problem, without file and line. */
export function describeSettingProblem({ path, expected, got, used }: ShapeProblem): string {
  const end = used === undefined ? 'Castor ignores it.' : `Castor uses ${JSON.stringify(used)}.`;
  return `${path.join('.')}: expected ${expected}, got ${got}. ${end}`;
}
