/**
 * `castor hooks migrate --from-claude`: reads Claude Code's settings and adds their hooks to ours. Reports what was
 * migrated, what was not and why. An existing hook is not added again, and nothing else in the file changes.
 */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  consentToHooks,
  inspectHooks,
  loadConfiguration,
  parseJsonText,
  saveSetting,
  SettingsError,
  toHookLayers,
  userSettingsPath,
  workspaceSettingsPath,
  countOf,
} from '@castor/core/program';
import type { InspectedHook } from '@castor/core/program';
import { ExitCode } from '../exit-codes.ts';
import { loadTrustedConfiguration } from '../start/start.ts';
import { fromClaude } from './hooks-from-claude.ts';
import type { TranslatedDefinition, Translation } from './hooks-from-claude.ts';
import type { SubcommandContext } from './subcommand-context.ts';
import type { HooksOptions } from './hooks-options.ts';

type Definitions = Record<string, TranslatedDefinition[]>;

export async function migrateHooks(options: HooksOptions, context: SubcommandContext): Promise<ExitCode> {
  const { flags, scope = 'workspace' } = options;
  const { output, cwd, home } = context;
  if (!flags.has('--from-claude')) {
    output.note('castor: missing source. Use --from-claude.');
    return ExitCode.Failure;
  }
  const folder = join(scope === 'user' ? home : cwd, '.claude');
  const files = ['settings.json', 'settings.local.json'].map((name) => join(folder, name));
  const found = files.flatMap((file) => readClaudeSettings(file) ?? []);
  if (found.length === 0) {
    output.note(`castor: no settings of Claude Code in ${folder}.`);
    return ExitCode.Failure;
  }
  const target = scope === 'user' ? userSettingsPath(home) : workspaceSettingsPath(cwd);
  const translations = found.map((settings) => fromClaude(settings));
  const present = readPresent(target, context);
  const added = addTo(present, translations);
  const isDry = flags.has('--dry-run');
  if (!isDry) {
    const before = scope === 'workspace' ? hooksOfProject(context) : [];
    for (const event of Object.keys(added)) saveSetting(target, ['hooks', event], merged(present, added, event));
    if (scope === 'workspace' && Object.keys(added).length > 0) consent(before, context);
  }
  await output.answer(describe({ translations, added, target, isDry }));
  if (
    scope === 'workspace' &&
    !loadTrustedConfiguration({ args: {}, installed: undefined, ...context }).configuration.isTrusted
  ) {
    output.note('castor: this folder is not trusted yet; its hooks do not run until you trust it.');
  }
  return ExitCode.Success;
}

/** Undefined when there is no such file. */
function readClaudeSettings(file: string): unknown {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new SettingsError(`${file} is not readable: ${(error as Error).message}`, { path: file, cause: error });
  }
  return parseJsonText(file, text);
}

/** The hooks currently in the file, as they are written. Reading runs nothing of the folder. */
function readPresent(target: string, { cwd, home, environment }: SubcommandContext): Record<string, unknown[]> {
  const { layers } = loadConfiguration({ home, cwd, environment, platform: process.platform, isTrusted: true });
  const hooks = layers.find(({ path }) => path === target)?.raw['hooks'] ?? {};
  return Object.fromEntries(
    Object.entries(hooks).filter((entry): entry is [string, unknown[]] => Array.isArray(entry[1])),
  );
}

/** The hooks that are still missing, by event. */
function addTo(present: Record<string, unknown[]>, translations: readonly Translation[]): Definitions {
  const added: Definitions = {};
  for (const { hooks } of translations) {
    for (const [event, definitions] of Object.entries(hooks)) {
      const there = new Set([...(present[event] ?? []), ...(added[event] ?? [])].map((one) => JSON.stringify(one)));
      const fresh = definitions.filter((definition) => !there.has(JSON.stringify(definition)));
      if (fresh.length > 0) added[event] = [...(added[event] ?? []), ...fresh];
    }
  }
  return added;
}

function merged(present: Record<string, unknown[]>, added: Definitions, event: string): unknown[] {
  return [...(present[event] ?? []), ...(added[event] ?? [])];
}

function hooksOfProject({ cwd, home, environment }: SubcommandContext): readonly InspectedHook[] {
  const { layers } = loadConfiguration({ home, cwd, environment, platform: process.platform, isTrusted: true });
  const { hooks } = inspectHooks({ root: cwd, home, layers: toHookLayers(layers) });
  return hooks.filter(({ source }) => source === 'project');
}

/**
 * A user who migrates hooks has seen these hooks, and no others. Without a record of consent, the next run announces
 * all.
 */
function consent(before: readonly InspectedHook[], context: SubcommandContext): void {
  const { cwd: root, home } = context;
  const hooks = hooksOfProject(context);
  if (hooks.some(({ consent: state }) => state === 'first')) return;
  const toKey = ({ consent: _state, ...entry }: InspectedHook) => JSON.stringify(entry);
  const there = new Set(before.map(toKey));
  const seen = hooks.filter((hook) => hook.consent === 'known' || !there.has(toKey(hook)));
  consentToHooks({ root, home }, seen);
}

interface Report {
  translations: readonly Translation[];
  added: Definitions;
  target: string;
  isDry: boolean;
}

function describe({ translations, added, target, isDry }: Report): string {
  const section = (title: string, lines: readonly string[]) =>
    lines.length === 0 ? [] : [title, ...lines.map((line) => `  ${line}`), ''];
  const count = Object.values(added)
    .flat()
    .reduce((sum, { hooks }) => sum + hooks.length, 0);
  const what = countOf(count, 'hook');
  const end = isDry ? `${what} would be written to ${target}.` : `${what} written to ${target}.`;
  return [
    ...section(
      'Migrated:',
      translations.flatMap(({ mapped }) => mapped),
    ),
    ...section(
      'Not migrated:',
      translations.flatMap(({ left }) => left),
    ),
    ...section(
      'Check these:',
      translations.flatMap(({ notes }) => notes),
    ),
    count > 0 ? `${end} To test a hook: castor hooks test <event>` : 'No new hooks.',
    '',
  ].join('\n');
}
