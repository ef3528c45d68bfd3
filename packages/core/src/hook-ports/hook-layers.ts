/**
 * The layers of hooks in the layers of settings. Commands are taken as they are
 * written: their variables are for the shell to expand, which knows quoting; put into
 * the text beforehand a value could become a command. Pure.
 */

import type { SettingsLayer, SettingsScope } from '../config/settings-layer.ts';
import type { HookLayer, HookSource } from '../hooks/hook-layer.ts';

const SOURCES: Readonly<Partial<Record<SettingsScope, HookSource>>> = {
  systemDefaults: 'system',
  user: 'user',
  workspace: 'project',
  system: 'system',
};

export function toHookLayers(layers: readonly Pick<SettingsLayer, 'scope' | 'path' | 'raw' | 'values'>[]): HookLayer[] {
  return layers.flatMap(({ scope, path, raw, values }) => {
    const source = SOURCES[scope];
    const { hooks, hooksConfig } = raw;
    if (source === undefined || (hooks === undefined && hooksConfig === undefined)) return [];
    return [{ source, file: path, hooks: withExpandedEnvironment(hooks, values['hooks']), hooksConfig }];
  });
}

/** The copy as written, in which only what stands below `env` is expanded. */
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
