/** A layer of hooks: from one settings file, or one file of a source. All that the first request needs of hooks. */

import type { SourceKind } from '../protocol/source.ts';

/** The order in which hooks of one event run. */
export const HOOK_ORDER: readonly SourceKind[] = ['builtin', 'project', 'user', 'system', 'extension'];

export interface HookLayer {
  source: SourceKind;
  /** Named in messages about the layer. */
  file?: string | undefined;
  hooks?: unknown;
  /** Added to the environment of each hook: paths of an extension, and the values of its settings. */
  variables?: Readonly<Record<string, string>>;
  hooksConfig?: unknown;
  /** Why the file could not be read. */
  problem?: string;
}

/** Whether a layer has hooks or problems: without any, the hook room is not loaded. */
export function hasHooks(layers: readonly HookLayer[] = []): boolean {
  return layers.some(
    ({ hooks, problem }) =>
      problem !== undefined || (hooks !== undefined && hooks !== null && Object.keys(hooks).length > 0),
  );
}
