/** The services a prompt acts on, on a surface without dialogs. */

import { toListOptions } from '../start/agent-options.ts';
import type { Start } from '../start/start.ts';
import { trustedFoldersFile } from '../start/trust.ts';
import type { ReadContext } from './prompt-reading.ts';
import type { LiveSession } from './session-lifecycle.ts';

declare const CASTOR_VERSION: string;

export interface ReadContextOptions {
  readonly start: Start;
  readonly live: LiveSession;
  readonly startedAt: number;
  readonly signal: AbortSignal;
  /** Whether the user typed the text; a script may pass on text of others. */
  readonly isAttended: boolean;
}

export function createReadContext({ start, live, startedAt, signal, isAttended }: ReadContextOptions): ReadContext {
  const { agent } = live;
  return {
    agent,
    signal,
    startedAt,
    home: start.home,
    version: CASTOR_VERSION,
    trustedFoldersFile: trustedFoldersFile(start),
    trustedFolder: start.trustedFolder,
    isAttended,
    listOptions: toListOptions(start),
    services: {
      prepareModel: live.prepareModel,
      async describeHooks() {
        const { createHookServices } = await import('../slash/hook-services.ts');
        return createHookServices(start, agent).describeHooks();
      },
      async openExtensions() {
        const { openExtensionService } = await import('../slash/extension-service.ts');
        return openExtensionService(start, {}, signal);
      },
      async openSessions() {
        const { openSessionService } = await import('../slash/session-service.ts');
        return openSessionService(start, agent);
      },
    },
  };
}
