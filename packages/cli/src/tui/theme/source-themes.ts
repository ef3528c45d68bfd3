/**
 * Loads custom themes: those of the settings, and those of the sources in a list `themes`, each named after its source.
 */

import { getErrorMessage } from '@castor/core';
import { findPlaces, readSourceFile } from '@castor/core/program';
import type { Source } from '@castor/core';

type Themes = Readonly<Record<string, unknown>>;

export interface CustomThemes {
  /** By name, as in `ui.customThemes`. */
  readonly customThemes: Themes;
  /** Sentences about themes that were left out. */
  readonly problems: readonly string[];
}

/** A theme of the settings takes precedence over one of a source with the same name. */
export function loadCustomThemes(ofSettings: Themes, sources: readonly Source[]): CustomThemes {
  const customThemes: Record<string, unknown> = { ...ofSettings };
  const problems: string[] = [];
  for (const { source, path } of findPlaces(sources, 'themes')) {
    for (const theme of readThemes(path, problems)) {
      const own = typeof theme === 'object' && theme !== null && 'name' in theme ? theme.name : undefined;
      const name = `${typeof own === 'string' ? own : ''} (${source.name})`;
      if (typeof own !== 'string' || own === '') problems.push(`${path}: a theme was skipped: it needs a "name".`);
      else if (Object.hasOwn(customThemes, name))
        problems.push(`${path}: the theme ${JSON.stringify(own)} was skipped: there is another "${name}".`);
      else customThemes[name] = theme;
    }
  }
  return { customThemes, problems };
}

function readThemes(path: string, problems: string[]): readonly unknown[] {
  try {
    const { themes = [] } = readSourceFile(path) ?? {};
    if (Array.isArray(themes)) return themes;
    problems.push(`${path}: "themes" must be a list; no theme of it is used.`);
  } catch (error) {
    problems.push(`${getErrorMessage(error)} No theme of it is used.`);
  }
  return [];
}
