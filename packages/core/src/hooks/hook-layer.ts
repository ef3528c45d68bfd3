/** Where hooks come from: one layer for each settings file, or thing like it. All that is known of hooks on the way to the first request. */

/** In the order hooks of one event run. */
export const HOOK_SOURCES = ['runtime', 'project', 'user', 'system', 'extensions'] as const;
export type HookSource = (typeof HOOK_SOURCES)[number];

export interface HookLayer {
  source: HookSource;
  /** Named in sentences about it. */
  file?: string | undefined;
  hooks?: unknown;
  hooksConfig?: unknown;
}

/** Whether there is anything to read: without it nothing of the hook room is loaded. */
export function hasHooks(layers: readonly HookLayer[] = []): boolean {
  return layers.some(({ hooks }) => hooks !== undefined && hooks !== null && Object.keys(hooks).length > 0);
}
