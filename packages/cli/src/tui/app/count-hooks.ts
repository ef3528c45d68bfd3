/** Counts the hooks that a session would run. Loaded only where a file may name hooks. */

import { inspectHooks, readHookFiles, toHookLayers } from '@castor/core/program';
import { isTrustedForRun } from '../../start/agent-options.ts';
import type { Start } from '../../start/start.ts';

export function countHooks({ configuration, sources, settings, args, environment, cwd, home }: Start): number {
  if (!settings.hooksConfig.enabled) return 0;
  const layers = [...toHookLayers(configuration.layers), ...readHookFiles(sources, { root: cwd })];
  const { hooks } = inspectHooks({ layers, root: cwd, home });
  // A project's hook that the user has not agreed to as it is now does not run; another line says so.
  const isForRun = isTrustedForRun(args, environment);
  return hooks.filter(
    ({ isDisabled, consent }) => !isDisabled && (isForRun || (consent !== 'new' && consent !== 'changed')),
  ).length;
}
