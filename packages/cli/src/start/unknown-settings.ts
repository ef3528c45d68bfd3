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
  return layers.flatMap(({ scope, path, raw, locate }) => {
    if (scope === 'defaults' || scope === 'environment' || path === undefined) return [];
    return unknownKeys(raw, []).map((key) => {
      const names = (known ??= listSettings().map((setting) => setting.key));
      // The flat names of old files are the last words of today's names.
      const meant = nearest(key, names) ?? names.find((each) => each.endsWith(`.${key}`));
      return { key, place: locate(key) ?? path, meant };
    });
  });
}

/** A start names at most this many; `castor doctor` names all. */
const NAMED = 3;

/** One line for a start, or none. */
export function describeUnknownSettings(configuration: Pick<Configuration, 'layers'>): string[] {
  const found = findUnknownSettings(configuration);
  if (found.length === 0) return [];
  const shown = found.slice(0, NAMED).map(({ key, place, meant }) => {
    return `${key} (${place}${meant === undefined ? '' : `; did you mean ${meant}?`})`;
  });
  const left = found.length - shown.length;
  const rest = left > 0 ? ` and ${left} more (castor doctor names them)` : '';
  return [`unknown settings without effect: ${shown.join(', ')}${rest}`];
}

function unknownKeys(values: Readonly<Record<string, unknown>>, path: readonly string[]): string[] {
  return Object.entries(values).flatMap(([key, value]) => {
    const inner = [...path, key];
    if (findSetting(inner) !== undefined || inner.join('.') === '$schema') return [];
    // Null counts as not set.
    if (value === null) return [];
    return isRecord(value) ? unknownKeys(value, inner) : [inner.join('.')];
  });
}
