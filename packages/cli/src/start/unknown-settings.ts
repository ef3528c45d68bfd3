/** Finds keys of the settings files that Castor does not know: most are typos, some belong to another program. */

import { findSetting, isRecord, listSettings } from '@castor/core/program';
import type { Configuration } from '@castor/core/program';
import { nearest } from '../nearest.ts';

export interface UnknownSetting {
  key: string;
  /** `file:line`. */
  place: string;
  /** The known key the user probably meant. */
  meant?: string | undefined;
}

export function findUnknownSettings({ layers }: Pick<Configuration, 'layers'>): UnknownSetting[] {
  // Most files have none: the names are collected for the first one.
  let known: string[] | undefined;
  const listNames = () => (known ??= listSettings().map((setting) => setting.key));
  return layers.flatMap(({ scope, path, raw, locate }) => {
    if (scope === 'defaults' || scope === 'environment' || path === undefined) return [];
    return unknownKeys(raw, [], listNames).map((key) => {
      const names = listNames();
      // The flat names of old files are the last words of today's names.
      const meant =
        nearest(key, names) ?? names.find((each) => each.endsWith(`.${key}`)) ?? nearest(key, groupsOf(names));
      return { key, place: locate(key) ?? path, meant };
    });
  });
}

/** A start names at most this many; `castor doctor` names all. */
const NAMED = 3;

/** One line for a start, or none. */
export function describeUnknownSettings(configuration: Pick<Configuration, 'layers'>): string[] {
  // The reader of the hooks names an unknown event, and the event to write instead.
  const found = findUnknownSettings(configuration).filter(({ key }) => !key.startsWith('hooks.'));
  if (found.length === 0) return [];
  const shown = found.slice(0, NAMED).map(({ key, place, meant }) => {
    return `${key} (${place}${meant === undefined ? '' : `; did you mean ${meant}?`})`;
  });
  const left = found.length - shown.length;
  const rest = left > 0 ? ` and ${left} more (castor doctor names them)` : '';
  return [`unknown settings without effect: ${shown.join(', ')}${rest}`];
}

function unknownKeys(
  values: Readonly<Record<string, unknown>>,
  path: readonly string[],
  listNames: () => readonly string[],
): string[] {
  return Object.entries(values).flatMap(([key, value]) => {
    const inner = [...path, key];
    const name = inner.join('.');
    if (findSetting(inner) !== undefined || name === '$schema') return [];
    // The reader of hooks names events it does not know.
    if (inner.length === 2 && path[0] === 'hooks') return [];
    // Null counts as not set.
    if (value === null) return [];
    // An unknown group is one mistake, not one for each of its keys.
    const isGroup = isRecord(value) && listNames().some((each) => each.startsWith(`${name}.`));
    return isGroup ? unknownKeys(value, inner, listNames) : [name];
  });
}

function groupsOf(names: readonly string[]): string[] {
  return [...new Set(names.flatMap((name) => (name.includes('.') ? [name.split('.', 1)[0]!] : [])))];
}
