/**
 * `castor config set` and `unset`: change one setting of one file, validated against the table before anything is
 * written.
 */

import {
  explainSetting,
  findSetting,
  fitShape,
  saveSetting,
  userSettingsPath,
  workspaceSettingsPath,
} from '@castor/core/program';
import type { Configuration, FoundSetting, Shape } from '@castor/core/program';
import { ExitCode } from '../exit-codes.ts';
import { createMask } from '../mask-secrets.ts';
import type { SubcommandContext } from './subcommand-context.ts';
import type { ConfigOptions } from './config-options.ts';
import { unknownSetting } from './config-report.ts';

export async function setSetting(
  { operands: [key = '', given], scope }: ConfigOptions,
  context: SubcommandContext,
  configuration: Configuration,
): Promise<ExitCode> {
  const { output, cwd, home } = context;
  const path = scope === 'user' ? userSettingsPath(home) : workspaceSettingsPath(cwd);
  const parsed = given === undefined ? {} : parseFor(key, given, scope);
  if (parsed.problem !== undefined) {
    output.note(`castor: ${parsed.problem}`);
    return ExitCode.Failure;
  }
  const isChanged = saveSetting(path, key, parsed.value);
  const shown = JSON.stringify(createMask(context.environment)(key, parsed.value));
  const done = given === undefined ? `Removed ${key} from ${path}.` : `Set ${key} = ${shown} in ${path}.`;
  await output.answer(isChanged ? `${done}\n` : `Nothing to change: ${path} already has this value.\n`);
  if (given !== undefined) noteIfOverruled(key, scope, { output, configuration });
  return ExitCode.Success;
}

interface Parsed {
  value?: unknown;
  /** Why nothing is written. */
  problem?: string;
}

function parseFor(key: string, given: string, scope: ConfigOptions['scope']): Parsed {
  const found = findSetting(key.split('.'));
  if (found === undefined) return { problem: unknownSetting(key) };
  const problem = refusal(key, found, scope);
  return problem === undefined ? parseValue(given, found) : { problem };
}

function refusal(key: string, found: FoundSetting, scope: ConfigOptions['scope']): string | undefined {
  if (key.startsWith('admin.mcp.')) return `${key} can only be set in the administrator's settings file.`;
  if (key.startsWith('admin.')) return `${key} can only be set by a remote administrator.`;
  return scope === 'workspace' && found.definition.project === 'never'
    ? `${found.key} has no effect in a project's file. Set it in your own: --scope user.`
    : undefined;
}

function parseValue(given: string, { key, definition, rest }: FoundSetting): Parsed {
  const shape = shapeAt(definition.shape, rest);
  const { value, problems } = fitShape(shape.type === 'string' ? given : readJson(given), shape);
  const [first] = problems;
  if (first === undefined || (value !== undefined && first.path.length === 0)) return { value };
  return { problem: `${[key, ...rest, ...first.path].join('.')}: expected ${first.expected}, got ${first.got}.` };
}

function shapeAt(shape: Shape, [key, ...rest]: readonly string[]): Shape {
  if (key === undefined) return shape;
  return shapeAt(shape.properties?.[key] ?? shape.additionalProperties ?? {}, rest);
}

function readJson(given: string): unknown {
  try {
    return JSON.parse(given) as unknown;
  } catch {
    // A value that is not JSON is a text.
    return given;
  }
}

interface OverruleOptions {
  output: SubcommandContext['output'];
  configuration: Configuration;
}

/** Explains to the user why the new value has no effect. */
function noteIfOverruled(key: string, scope: ConfigOptions['scope'], { output, configuration }: OverruleOptions): void {
  if (scope === 'workspace' && !configuration.isTrusted) {
    output.note('castor: this folder is not trusted, so Castor ignores its settings.');
    return;
  }
  const stronger = configuration.layers.findIndex((layer) => layer.scope === scope);
  const winner = explainSetting(key, configuration).sources.find(
    (source) => configuration.layers.findIndex((layer) => layer.scope === source.scope) > stronger,
  );
  if (winner?.outcome === 'wins') output.note(`castor: ${winner.where ?? winner.scope} overrides this value here.`);
}
