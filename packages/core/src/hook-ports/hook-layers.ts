/**
 * Collects the layers of hooks: from the layers of settings, and from the hook files of
 * sources. Commands stay as written: the shell expands their variables and knows quoting; a
 * value inserted into the text beforehand could become a command.
 */

import { sep } from 'node:path';
import { SettingsError } from '../config/settings-error.ts';
import type { SettingsLayer, SettingsScope } from '../config/settings-layer.ts';
import { readSourceFile } from '../config/source-file.ts';
import type { HookLayer } from '../hooks/hook-layer.ts';
import type { Source, SourceKind, SourceValues } from '../protocol/source.ts';
import { findPlaces } from '../util/find-places.ts';

const KINDS: Readonly<Partial<Record<SettingsScope, SourceKind>>> = {
  systemDefaults: 'system',
  user: 'user',
  workspace: 'project',
  system: 'system',
};

export function toHookLayers(layers: readonly Pick<SettingsLayer, 'scope' | 'path' | 'raw' | 'values'>[]): HookLayer[] {
  return layers.flatMap(({ scope, path, raw, values }) => {
    const source = KINDS[scope];
    const { hooks, hooksConfig } = raw;
    if (source === undefined || (hooks === undefined && hooksConfig === undefined)) return [];
    return [{ source, file: path, hooks: withExpandedEnvironment(hooks, values['hooks']), hooksConfig }];
  });
}

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

/** The settings as written, with only the values below `env` expanded. */
function withExpandedEnvironment(written: unknown, expanded: unknown): unknown {
  if (Array.isArray(written)) {
    const others: unknown[] = Array.isArray(expanded) ? expanded : [];
    return written.map((item: unknown, index) => withExpandedEnvironment(item, others[index]));
  }
  if (typeof written !== 'object' || written === null) return written;
  const others = (expanded ?? {}) as Record<string, unknown>;
  return Object.fromEntries(
    Object.entries(written).map(([key, value]) => [
      key,
      key === 'env' ? (others[key] ?? value) : withExpandedEnvironment(value, others[key]),
    ]),
  );
}
