/**
 * Names what the user has configured for Gemini CLI and Castor does not use: extensions in a project, settings without
 * an effect. One line, so that a start never ignores them silently.
 */

import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { countOf, findSetting, isRecord, noEffectOf } from '@castor/core/program';
import type { Configuration } from '@castor/core/program';
import { isFooterItemName } from '../footer-item-names.ts';

export interface UnusedPlaces {
  home: string;
  cwd: string;
  /** Only a trusted folder's own extensions would count. */
  isTrusted: boolean;
}

/** A start names at most this many settings; `castor doctor` names all. */
const NAMED_SETTINGS = 3;

/** The line, or none where everything configured is used. */
export function describeUnused(
  { settings, layers }: Pick<Configuration, 'settings' | 'layers'>,
  places: UnusedPlaces,
  { isComplete = false }: { isComplete?: boolean } = {},
): string[] {
  const unused = [
    ...nameExtensions(places),
    ...nameSettings(unusedSettings(layers), isComplete),
    ...nameFooterItems(settings.ui.footer.items),
  ];
  return unused.length === 0 ? [] : [`not used yet: ${unused.join(', ')}`];
}

function listFolder(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    // A missing or unreadable folder contributes nothing.
    return [];
  }
}

/** Extensions are installed for the user; a folder of them in a project has no effect. */
function nameExtensions({ cwd, home, isTrusted }: UnusedPlaces): string[] {
  const names = isTrusted && cwd !== home ? listFolder(join(cwd, '.gemini', 'extensions')) : [];
  return names.flatMap((name) => (/^\.|\.json$/.test(name) ? [] : [`extension ${name} of this project`]));
}

/** Keys the user has set that no part of Castor reads yet. */
function unusedSettings(layers: Configuration['layers']): string[] {
  const files = layers.filter(({ scope }) => scope !== 'defaults' && scope !== 'environment');
  const keys = files.flatMap(({ values }) => walk(values, []));
  return [...new Set(keys)];
}

function walk(values: Readonly<Record<string, unknown>>, path: readonly string[]): string[] {
  return Object.entries(values).flatMap(([name, value]) => {
    const inner = [...path, name];
    const found = findSetting(inner);
    if (found === undefined) return isRecord(value) ? walk(value, inner) : [];
    const isNamed = noEffectOf(found.key) === 'planned' && !isToldOtherwise(found.key);
    return isNamed && JSON.stringify(value) !== JSON.stringify(found.definition.default) ? [found.key] : [];
  });
}

/** Reported under what they configure, or bookkeeping of Gemini CLI itself. */
function isToldOtherwise(key: string): boolean {
  return /nudge/i.test(key);
}

function nameSettings(keys: readonly string[], isComplete: boolean): string[] {
  const shown = isComplete ? keys : keys.slice(0, NAMED_SETTINGS);
  const left = keys.length - shown.length;
  return [...shown, ...(left > 0 ? [`${countOf(left, 'more setting')} (castor doctor names them)`] : [])];
}

function nameFooterItems(items: readonly string[] | undefined): string[] {
  const unknown = items?.filter((item) => !isFooterItemName(item)) ?? [];
  return unknown.length === 0 ? [] : [`ui.footer.items (${unknown.join(', ')})`];
}
