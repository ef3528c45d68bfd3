/** Reads the hook files of sources as layers. Loaded where a source can have one: only extensions do. */

import { sep } from 'node:path';
import { SettingsError } from '../config/settings-error.ts';
import { readSourceFile } from '../config/source-file.ts';
import type { HookLayer } from '../hooks/hook-layer.ts';
import type { Source, SourceValues } from '../protocol/source.ts';
import { findPlaces } from '../util/find-places.ts';

export interface HookFileOptions {
  /** The folder the agent works in. */
  root: string;
  /** The values of settings, by the name of their source. */
  values?: SourceValues | undefined;
}

/** Of trusted sources only. An unreadable file becomes a layer with a `problem`. */
export function readHookFiles(sources: readonly Source[], { root, values = {} }: HookFileOptions): HookLayer[] {
  return findPlaces(sources, 'hooks').flatMap(
    ({ source: { kind: source, name, directory }, path: file }): HookLayer[] => {
      try {
        const content = readSourceFile(file);
        if (content === undefined) return [];
        const variables = { extensionPath: directory, workspacePath: root, ...values[name] };
        return [{ source, file, hooks: replaceSeparators(content['hooks']), variables }];
      } catch (error) {
        if (!(error instanceof SettingsError)) throw error;
        return [{ source, file, problem: `${error.message} Castor runs none of its hooks.` }];
      }
    },
  );
}

/** The one variable of an extension that a shell cannot expand. */
function replaceSeparators(value: unknown): unknown {
  if (typeof value === 'string') return value.replaceAll(/\$\{(?:\/|pathSeparator)\}/g, () => sep);
  if (Array.isArray(value)) return value.map(replaceSeparators);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, replaceSeparators(item)]));
}
