/** Watches the connections of a command of `castor`: records them, and refuses them where the settings say airgap. */

import { getErrorMessage } from '@castor/core';
import { guardOutgoing, watchOutgoing } from '@castor/core/program';
import type { AnnouncedOutgoing, Settings } from '@castor/core/program';
import { beforeProcessEnds } from '../process-end.ts';
import { enterAirgap } from '../start/airgap.ts';
import { openAuditFor } from '../start/audit.ts';
import { loadTrustedConfiguration } from '../start/start.ts';
import type { SubcommandContext } from './subcommand-context.ts';

/** Reads the settings only when a connection is announced: most commands make none. */
export function watchConnections(
  { cwd, home, environment, output }: SubcommandContext,
  { isRecorded }: { isRecorded: boolean },
): void {
  const early: AnnouncedOutgoing[] = [];
  let opening: Promise<void> | undefined;
  const unwatch = watchOutgoing((connection) => {
    if (!isRecorded) return;
    early.push(connection);
    opening ??= open();
  });
  guardOutgoing((connection) => {
    guardOutgoing(undefined);
    return readSettings()?.castor.airgap ? enterAirgap()(connection) : undefined;
  });
  beforeProcessEnds(async () => opening);

  function readSettings(): Settings | undefined {
    try {
      return loadTrustedConfiguration({ args: {}, cwd, home, environment, installed: undefined }).configuration
        .settings;
    } catch {
      // The command itself reports invalid settings.
      return undefined;
    }
  }

  async function open(): Promise<void> {
    const tell = (message: string) => output.note(`castor: warning: ${message}`);
    try {
      const settings = readSettings();
      // From here on the log itself watches.
      unwatch();
      const audit = settings && (await openAuditFor({ home, settings }, tell));
      for (const connection of early) audit?.record({ kind: 'connection', ...connection });
    } catch (error) {
      tell(getErrorMessage(error));
    }
  }
}
