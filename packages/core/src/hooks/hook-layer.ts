/** A layer of hooks: those of one settings file, or of one file of a source. All that the first request needs to know of hooks. */

import type { SourceKind } from '../protocol/source.ts';

/** In the order hooks of one event run. */
export const HOOK_ORDER: readonly SourceKind[] = ['builtin', 'project', 'user', 'system', 'extension'];

export interface HookLayer {
  source: SourceKind;
  /** Named in sentences about it. */
  file?: string | undefined;
  hooks?: unknown;
  hooksConfig?: unknown;
  /** Why the file could not be read. */
  problem?: string;
}

/** Whether there is anything to read or to report: without it nothing of the hook room is loaded. */
export function hasHooks(layers: readonly HookLayer[] = []): boolean {
  return layers.some(
    ({ hooks, problem }) =>
      problem !== undefined || (hooks !== undefined && hooks !== null && Object.keys(hooks).length > 0),
  );
}
