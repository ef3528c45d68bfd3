/**
 * Finds the hooks of a folder in its settings files and sources, and decides whether a session there would run each. It
 * runs nothing.
 */

import { inspectHooks, readHookFiles, toHookLayers } from '@castor/core/program';
import type { InspectedHook, InspectedHooks } from '@castor/core/program';
import { isTrustedForRun } from '../start/agent-options.ts';
import { findInstalledExtensions } from '../start/installed-extensions.ts';
import { loadTrustedConfiguration } from '../start/start.ts';
import type { LoadedConfiguration, StartContext } from '../start/start.ts';

export type HookFolder = Omit<StartContext, 'args' | 'installed'> & Partial<Pick<StartContext, 'args' | 'installed'>>;

export interface FoundHooks {
  hooks: readonly InspectedHook[];
  /** Sentences about entries that were left out. */
  problems: readonly string[];
  isTrusted: boolean;
  /** Trusted by a flag or a variable: new and changed hooks then run too. */
  isTrustedForRun: boolean;
}

/** Throws a SettingsError for unreadable files. */
export async function findHooks({ args = {}, ...folder }: HookFolder): Promise<FoundHooks> {
  const { cwd, home, environment } = folder;
  const installed = folder.installed ?? (await findInstalledExtensions(folder));
  const loaded = loadTrustedConfiguration({ args, ...folder, installed });
  const { isTrusted } = loaded.configuration;
  const isForRun = isTrustedForRun(args, environment);
  return { ...inspectLoaded(loaded, { cwd, home }), isTrusted, isTrustedForRun: isForRun };
}

/** The hooks of loaded settings and of the sources. */
export function inspectLoaded(
  { configuration, sources }: LoadedConfiguration,
  { cwd: root, home }: Pick<HookFolder, 'cwd' | 'home'>,
): InspectedHooks {
  return inspectHooks({
    layers: [...toHookLayers(configuration.layers), ...readHookFiles(sources, { root })],
    root,
    home,
  });
}

/** Whether a session would run it once it is enabled. */
export function mayRun({ consent }: InspectedHook, { isTrustedForRun: isForRun }: FoundHooks): boolean {
  return isForRun || (consent !== 'new' && consent !== 'changed');
}
