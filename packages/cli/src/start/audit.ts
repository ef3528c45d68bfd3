/** Opens the audit log of the process, for agents of any surface and for commands of `castor` that connect to something. */

import { openAudit, watchOutgoing } from '@castor/core/program';
import type { AnnouncedOutgoing, Audit, Settings } from '@castor/core/program';
import { getErrorMessage } from '@castor/core';
import { beforeProcessEnds } from '../process-end.ts';
import type { StartContext } from './start.ts';

let opened: Promise<Audit> | undefined;

/** One for the process, however many sessions it has; undefined where it is off. Throws AuditError. */
export function openAuditFor(
  { home, settings }: { home: string; settings: Settings },
  onProblem: (message: string) => void,
): Promise<Audit | undefined> {
  const { enabled, required } = settings.castor.audit;
  if (!enabled && !required) return Promise.resolve(undefined);
  if (opened) return opened;
  const opening = openAudit({ home, isRequired: required, onProblem });
  beforeProcessEnds(async () => (await opening).close());
  opened = opening;
  return opening;
}

interface Subcommand extends Pick<StartContext, 'cwd' | 'home' | 'environment'> {
  output: { note(text: string): void };
}

/** Reads the settings only when a connection is announced: most commands make none. */
export function watchSubcommand({ cwd, home, environment, output }: Subcommand): void {
  const early: AnnouncedOutgoing[] = [];
  let opening: Promise<void> | undefined;
  const unwatch = watchOutgoing((connection) => {
    early.push(connection);
    opening ??= open();
  });
  beforeProcessEnds(async () => opening);

  async function open(): Promise<void> {
    const tell = (message: string) => output.note(`castor: warning: ${message}`);
    try {
      const { findInstalledExtensions } = await import('./installed-extensions.ts');
      const { loadTrustedConfiguration } = await import('./start.ts');
      const installed = await findInstalledExtensions({ cwd, home });
      const { configuration } = loadTrustedConfiguration({ args: {}, cwd, home, environment, installed });
      // From here on the log itself watches.
      unwatch();
      const audit = await openAuditFor({ home, settings: configuration.settings }, tell);
      for (const connection of early) audit?.record({ kind: 'connection', ...connection });
    } catch (error) {
      tell(getErrorMessage(error));
    }
  }
}
