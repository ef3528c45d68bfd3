/**
 * Collects the layers of hooks from the layers of settings. Commands stay as written: the shell expands their variables
 * and knows quoting; a value inserted into the text beforehand could become a command.
 */

import type { SettingsLayer, SettingsScope } from '../config/settings-layer.ts';
import type { HookLayer } from '../hooks/hook-layer.ts';
import type { SourceKind } from '../protocol/source.ts';

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
