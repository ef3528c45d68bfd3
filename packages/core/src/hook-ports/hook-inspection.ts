/**
 * Inspects hooks from outside a session: lists them with whether they would run, and runs
 * selected ones by hand. It fires no event and decides nothing.
 */

import { realpathSync } from 'node:fs';
import { join } from 'node:path';
import { projectTempDirectory, userDirectory } from '../config/paths.ts';
import { readHookLayers } from '../hooks/hook-config.ts';
import type { HookEntry } from '../hooks/hook-config.ts';
import type { HookEventName, HookOutput, HookPayloads } from '../hooks/hook-events.ts';
import type { HookLayer } from '../hooks/hook-layer.ts';
import { mergeOutputs } from '../hooks/hook-merge.ts';
import { HookRunner } from '../hooks/hook-runner.ts';
import { HookSystem } from '../hooks/hook-system.ts';
import type { FiredHook } from '../hooks/hook-system.ts';
import { HookConsent } from '../hooks/hook-trust.ts';
import type { ConsentState } from '../hooks/hook-trust.ts';
import { guardOwnChildren } from '../tools/own-children.ts';
import { systemClock } from '../util/clock.ts';
import { createEnvironmentOf, findShell } from './open-hooks.ts';
import type { OpenHooksOptions } from './open-hooks.ts';

export interface InspectedHook extends HookEntry {
  /** Only for a project's hook; others need no consent. */
  consent?: ConsentState;
}

export interface InspectedHooks {
  /** In the order they run. */
  hooks: readonly InspectedHook[];
  /** Sentences about rejected entries. */
  problems: readonly string[];
}

export interface HookPlace {
  layers: readonly HookLayer[];
  root: string;
  home: string;
}

export function inspectHooks({ layers, root, home }: HookPlace): InspectedHooks {
  const { entries, problems } = readHookLayers(layers);
  const consent = openConsent({ root, home });
  const hooks = entries.map((entry) =>
    entry.source === 'project' ? { ...entry, consent: consent.stateOf(entry) } : entry,
  );
  return { hooks, problems: consent.problem === undefined ? problems : [...problems, consent.problem] };
}

/** Consents to the project's hooks in their current form. Throws when the consent cannot be saved. */
export function consentToHooks({ root, home }: Omit<HookPlace, 'layers'>, hooks: readonly HookEntry[]): void {
  openConsent({ root, home }).consent(hooks.filter(({ source }) => source === 'project'));
}

export interface TriedHooks {
  /** The input of each hook besides its own environment. */
  payload: object;
  fired: readonly FiredHook[];
  together: HookOutput;
}

export interface TryHooksOptions extends Pick<OpenHooksOptions, 'root' | 'home' | 'environment' | 'secrets'> {
  /** Each runs, whether or not its matcher matches and it is enabled. */
  hooks: readonly HookEntry[];
  signal: AbortSignal;
}

/** Rejects with AbortError only. */
export async function tryHooks<E extends HookEventName>(
  event: E,
  payload: HookPayloads[E],
  { hooks, root, home, environment, secrets, signal }: TryHooksOptions,
): Promise<TriedHooks> {
  const children = guardOwnChildren();
  const runner = new HookRunner({ shell: findShell(environment), clock: systemClock, guard: children.guard });
  const cwd = realpathSync(root);
  const system = new HookSystem({
    entries: hooks.map((entry) => ({ ...entry, matcher: '', isDisabled: false })),
    runner,
    clock: systemClock,
    sessionId: 'hooks-test',
    cwd,
    plansDirectory: join(projectTempDirectory(home, cwd), 'plans'),
    transcriptPath: () => '',
    environmentOf: createEnvironmentOf({ environment, ...(secrets && { secrets }) }),
    onMessage: () => undefined,
  });
  try {
    const fired = await system.run(event, payload, signal);
    return { payload, fired, together: mergeOutputs(fired.flatMap(({ answer }) => answer.output ?? [])) };
  } finally {
    await children.end();
  }
}

function openConsent({ root, home }: Omit<HookPlace, 'layers'>): HookConsent {
  return new HookConsent({ file: join(userDirectory(home), 'trusted_hooks.json'), root: realpathSync(root) });
}
