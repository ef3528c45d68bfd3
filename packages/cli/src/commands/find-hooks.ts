/** The hooks of a folder as its settings files and sources have them, and what a session there would make of each. It runs nothing. */

import { inspectHooks, readHookFiles, toHookLayers } from '@castor/core/program';
import type { InspectedHook, InspectedHooks } from '@castor/core/program';
import { loadTrustedConfiguration } from '../start/start.ts';
import type { LoadedConfiguration, StartContext } from '../start/start.ts';

export type HookFolder = Pick<StartContext, 'cwd' | 'home' | 'environment'> & Partial<Pick<StartContext, 'args'>>;

export interface FoundHooks {
  hooks: readonly InspectedHook[];
  /** Sentences about entries that were left out. */
  problems: readonly string[];
  isTrusted: boolean;
  /** By a flag or a variable: then new and changed hooks run too. */
  isTrustedForRun: boolean;
}

/** Throws a SettingsError for files that cannot be read. */
export function findHooks({ cwd, home, environment, args = {} }: HookFolder): FoundHooks {
  const loaded = loadTrustedConfiguration({ args, cwd, home, environment });
  const { isTrusted } = loaded.configuration;
  const isTrustedForRun = args.skipTrust === true || environment['GEMINI_CLI_TRUST_WORKSPACE'] === 'true';
  return { ...inspectLoaded(loaded, { cwd, home }), isTrusted, isTrustedForRun };
}

/** The hooks of settings that are loaded already, and of the sources. */
export function inspectLoaded(
  { configuration, sources }: LoadedConfiguration,
  { cwd: root, home }: Pick<HookFolder, 'cwd' | 'home'>,
): InspectedHooks {
  return inspectHooks({ layers: [...toHookLayers(configuration.layers), ...readHookFiles(sources)], root, home });
}

/** Whether a session would run it, once it is switched on. */
export function mayRun({ consent }: InspectedHook, { isTrustedForRun }: FoundHooks): boolean {
  return isTrustedForRun || (consent !== 'new' && consent !== 'changed');
}
