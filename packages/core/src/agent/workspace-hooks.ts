/** Opens the hooks of a workspace agent from its layers and sources. */

import { hasHooks } from '../hooks/hook-layer.ts';
import type { HookLayer } from '../hooks/hook-layer.ts';
import type { SessionHooks } from '../hook-ports/open-hooks.ts';
import type { SessionRecorder } from '../records/session-recorder.ts';
import type { Confine } from '../util/invocation.ts';
import { systemClock } from '../util/clock.ts';
import type { EventInbox } from './event-inbox.ts';
import type { SourcedOptions } from './workspace-options.ts';

export interface HookSurroundings {
  root: string;
  plansDirectory: string;
  recorder: SessionRecorder | undefined;
  confine: Confine | undefined;
  inbox: EventInbox;
}

async function readHookLayers({ sources, sourceValues: values }: SourcedOptions, root: string): Promise<HookLayer[]> {
  if (!sources.some(({ kind }) => kind === 'extension')) return [];
  const { readHookFiles } = await import('../hook-ports/hook-files.ts');
  return readHookFiles(sources, { root, values });
}

/** Loads the hook room only where a hook is configured. */
export async function openSessionHooks(
  options: SourcedOptions,
  { root, plansDirectory, recorder, confine, inbox }: HookSurroundings,
): Promise<SessionHooks | undefined> {
  const { hookLayers = [], sources, sessionId, home, environment, clock = systemClock } = options;
  const { secrets, telemetry, isTrustedForRun = false } = options;
  const layers = [...hookLayers, ...(await readHookLayers(options, root))];
  if (!hasHooks(layers)) return undefined;
  const { openHooks } = await import('../hook-ports/open-hooks.ts');
  return openHooks({
    layers,
    sessionId,
    root,
    home,
    plansDirectory,
    transcriptPath: () => recorder?.path ?? '',
    environment,
    sources,
    isTrustedForRun,
    hints: options.hints,
    confine,
    clock,
    ...(secrets && { secrets }),
    redaction: options.redaction,
    ...(telemetry && { onExecution: (execution) => telemetry.hookExecuted(execution) }),
    post: (event) => inbox.post(event),
  });
}
